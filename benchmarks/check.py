#!/usr/bin/env python3
"""Checks that the benchmark set is consistent with itself.

    check.py              files, headers, task definitions, sets, generated programs, and the litmus tests' expected verdicts
    check.py --compile    also lets the C compiler look at every program (gcc -std=gnu11 -Wall -Werror)

Prints one line per problem and exits with 1 if there is one.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
FOLDERS = ("mutex", "locks", "lockfree", "puzzles", "drivers", "features", "cancellation", "litmus", "cooperative",
           "templates")
SPACES = ("finite", "large", "infinite")


def tasks():
    """All task definitions."""
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.yml"))


def field(text, name):
    found = re.search(rf"^ *-? *{name}: *(.*)$", text, re.M)
    return found[1].strip("'\"") if found else None


def task_problems(path):
    """Is the definition complete, and does it agree with its program's name and opening comment?"""
    text, source = path.read_text(), path.with_suffix(".c")
    if field(text, "input_files") != source.name or not source.exists():
        yield "names another program than its own"
        return
    if not (path.parent / field(text, "property_file")).exists():
        yield "names a property file that does not exist"
    comment = source.read_text().split("*/")[0]
    space = field(text, "state_space")
    if space not in SPACES or f"State space: {space}" not in comment:
        yield f"state space {space}, but the program's comment says otherwise"
    expected = field(text, "expected_verdict")
    if path.parent.name == "litmus":
        return
    if (expected == "false") != path.stem.endswith("_unsafe"):
        yield f"expected verdict {expected}, but named otherwise"
    if "Property:" not in comment:
        yield "the program's comment does not name the property"
    if "Mutant:" in comment and expected == "true":
        yield "a mutant that is safe"


def orphans():
    """Programs without a task definition."""
    for folder in FOLDERS:
        for source in sorted((ROOT / folder).glob("*.c")):
            if not source.with_suffix(".yml").exists():
                yield f"{source.relative_to(ROOT)}: no task definition"


def members(path):
    """The tasks of a set; a pattern without a match is reported as None."""
    for line in path.read_text().splitlines():
        pattern = line.split("#")[0].strip()
        if pattern:
            yield from sorted((path.parent).glob(pattern)) or [None]


def set_problems():
    # The sets that are about every task leave out those of cooperative threads and of threads without number, which
    # have sets of their own.
    known = {task for task in tasks() if task.parent.name not in ("cooperative", "templates")}
    for path in sorted((ROOT / "sets").glob("*.set")):
        found = [m and m.resolve() for m in members(path)]
        if None in found:
            yield f"sets/{path.name}: a pattern matches nothing"
        if len(found) != len(set(found)):
            yield f"sets/{path.name}: a task occurs twice"
        if path.name == "all.set" and set(found) != known:
            yield "sets/all.set: does not hold every task"
        if path.name == "unbounded.set":
            unbounded = {t for t in known if field(t.read_text(), "state_space") != "finite"}
            if set(found) != unbounded:
                yield "sets/unbounded.set: does not agree with the tasks' state_space"


def compile_problems():
    for task in tasks():
        source = task.with_suffix(".c")
        command = ["gcc", "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", str(source)]
        command += ["-I", str(ROOT / "cooperative" / "runtime")] if source.parent.name == "cooperative" else []
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            yield f"{source.relative_to(ROOT)}: {result.stderr.splitlines()[1].strip()}"


def main(arguments):
    found = [f"{t.relative_to(ROOT)}: {p}" for t in tasks() for p in task_problems(t)]
    found += list(orphans()) + list(set_problems())
    if "--compile" in arguments:
        found += list(compile_problems())
    for problem in found:
        print(problem)
    generated = ("litmus", "cooperative")
    codes = [subprocess.run([sys.executable, str(ROOT / f / "generate.py"), "--check"]).returncode for f in generated]
    print(f"{len(tasks())} tasks checked, {len(found)} problems")
    return 1 if found or any(codes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
