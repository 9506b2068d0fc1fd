#!/usr/bin/env python3
"""Writes the litmus tests of this folder, and checks their expected verdicts.

    generate.py            writes NAME.c and NAME.yml for every shape of shapes.py
    generate.py --check    changes nothing; exits with 1 if a file differs from what would be written, if
                           there is a file that no shape describes, or if an expected verdict is not what the
                           store-buffer machine of machine.py finds

Further arguments name the shapes to work on; default is all of them.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the tasks

import language
import machine
from shapes import SHAPES

FOLDER = Path(__file__).resolve().parent
MODELS = ("sc", "tso", "pso")


def c_text(shape, threads):
    """The C program of a shape."""
    names = language.variables(threads, shape.outcome)
    atomic = language.uses_c11_atomics(threads)
    shared = "atomic_int" if atomic else "int"
    comment = language.wrap(
        f"{shape.text}\nThe assertion says that this never happens: {shape.outcome}\n"
        f"Expected: {', '.join(f'{m.upper()} {str(v).lower()}' for m, v in verdicts(shape).items())}.\n"
        "State space: finite."
    )
    lines = [comment, "#include <assert.h>", "#include <pthread.h>"]
    lines += ["#include <stdatomic.h>"] if language.needs_stdatomic(threads) else []
    lines += ["", f"{shared} {', '.join(names.shared)};", f"int {', '.join(names.results)};"]
    lines += [f"pthread_mutex_t {m} = PTHREAD_MUTEX_INITIALIZER;" for m in names.mutexes]
    for i, body in enumerate(threads):
        lines += ["", f"void *p{i}(void *arg)", "{"]
        lines += language.c_statements(body, atomic) + ["    return 0;", "}"]
    handles = [f"t{i}" for i in range(len(threads))]
    lines += ["", "int main(void)", "{", f"    pthread_t {', '.join(handles)};"]
    lines += [f"    {text}" for text in shape.init]
    lines += [f"    pthread_create(&t{i}, 0, p{i}, 0);" for i in range(len(threads))]
    lines += [f"    pthread_join({handle}, 0);" for handle in handles]
    lines += [f"    assert(!({shape.outcome}));", "    return 0;", "}", ""]
    lines = [line for line in lines if line != "int ;"]
    return "\n".join(lines)


def yml_text(shape):
    """The task definition of a shape."""
    expected = {m: str(v).lower() for m, v in verdicts(shape).items()}
    return f"""format_version: '2.0'
input_files: '{shape.name}.c'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: {expected['sc']}
options:
  language: C
  data_model: LP64
  state_space: finite
  expected_by_memory_model: {{sc: {expected['sc']}, tso: {expected['tso']}, pso: {expected['pso']}}}
"""


def verdicts(shape):
    """`TFF` of the table as {'sc': True, 'tso': False, 'pso': False}; true: the outcome cannot happen."""
    return {model: letter == "T" for model, letter in zip(MODELS, shape.expected)}


def problems(shape):
    """What is wrong with the files or the labels of a shape, as sentences."""
    threads = [language.parse(text) for text in shape.threads]
    for suffix, text in ((".c", c_text(shape, threads)), (".yml", yml_text(shape))):
        path = FOLDER / (shape.name + suffix)
        if not path.exists() or path.read_text() != text:
            yield f"{path.name} is not what generate.py writes"
    outcome = language.parse_expression(shape.outcome)
    init = [language.parse(text) for text in shape.init]
    for model, safe in verdicts(shape).items():
        if machine.reachable(threads, init, outcome, model) == safe:
            yield f"{shape.name}: the outcome is {'reachable' if safe else 'unreachable'} under {model}"


def write(shape):
    threads = [language.parse(text) for text in shape.threads]
    (FOLDER / f"{shape.name}.c").write_text(c_text(shape, threads))
    (FOLDER / f"{shape.name}.yml").write_text(yml_text(shape))


def main(arguments):
    check = "--check" in arguments
    wanted = [a for a in arguments if a != "--check"]
    shapes = [s for s in SHAPES if not wanted or s.name in wanted]
    if not check:
        for shape in shapes:
            write(shape)
        return 0
    found = [problem for shape in shapes for problem in problems(shape)]
    if not wanted:
        known = {s.name for s in SHAPES}
        for path in sorted(FOLDER.glob("*.[cy]*")):
            if path.suffix in (".c", ".yml") and path.stem not in known:
                found.append(f"{path.name} belongs to no shape")
    for problem in found:
        print(problem)
    print(f"{len(shapes)} shapes checked, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
