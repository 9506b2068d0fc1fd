#!/usr/bin/env python3
"""Tables I and II of Wachter, Kroening, Ouaknine (FMCAD 2013) beside ours.

    benchmarks/table2.py [--regrain PATH] [--timeout SECONDS] [--update]

Runs `regrain verify --engine impact` on sets/table2.set in the four configurations of Table II and prints a table in
Markdown: for each of them the paper's number of nodes and ours, and for the default the paper's time in Table I and the
processor time of ours. Ends with 1 if a verdict is wrong. `--update` puts the table into the page of the engine `impact`, between its
markers.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs/src/engines/impact.md"
BEGIN, END = "<!-- table2 begin -->", "<!-- table2 end -->"

# Nodes of sPOR, sPOR+FC, dPOR, dPOR+FC in Table II (None: time out), seconds in Table I.
PAPER = {
    "mutex/dekker": ("dekker", True, (7407, 504, 433, 331), 0.1),
    "mutex/lamport_fast": ("lamport", True, (36624, 4740, 7418, 1700), 0.3),
    "mutex/peterson": ("peterson", True, (3155, 419, 1081, 199), 0.1),
    "mutex/szymanski": ("szymanski", True, (13332, 1059, 1264, 673), 0.2),
    "locks/read_write_lock_unsafe": ("read_write_u", False, (31786, 7628, 18261, 4899), 0.6),
    "locks/read_write_lock": ("read_write_s", True, (109096, 12932, 36777, 7065), 0.9),
    "drivers/time_varying_mutex": ("time_var_mutex", True, (867, 867, 435, 252), 0.1),
    "locks/stack_lock_unsafe": ("stack_u", False, (None, None, 2589, 424), 0.5),
    "locks/stack_lock": ("stack_s", True, (None, None, None, 2037), 38.8),
}
CONFIGURATIONS = [("static", "off"), ("static", "on"), ("dynamic", "off"), ("dynamic", "on")]


def run(regrain: str, program: str, por: str, force_cover: str, timeout: float) -> tuple:
    """Verdict, nodes and seconds of processor time."""
    command = [regrain, "verify", str(HERE / f"{program}.c"), "--engine", "impact", "--por", por]
    command += ["--force-cover", force_cover, "--timeout", str(timeout), "--format", "json", "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(done.stdout)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found["verdict"], found["statistics"]["Nodes"], used


def cell(paper: int | None, verdict: str, nodes: int) -> str:
    ours = "–" if verdict.startswith("unknown") else str(nodes)
    return f"{'–' if paper is None else paper} / {ours}"


def table(regrain: str, timeout: float) -> tuple[str, bool]:
    names = ["sPOR", "sPOR+FC", "dPOR", "dPOR+FC"]
    heads = [f"{name}, nodes" for name in names]
    lines = [f"| program | {' | '.join(heads)} | dPOR+FC, seconds |", "|---" * 6 + "|"]
    right = True
    for program, (title, safe, paper, seconds) in PAPER.items():
        cells = []
        for (por, force_cover), theirs in zip(CONFIGURATIONS, paper, strict=True):
            verdict, nodes, used = run(regrain, program, por, force_cover, timeout)
            decided = not verdict.startswith("unknown")
            right &= not decided or verdict.startswith("true" if safe else "false")
            cells.append(cell(theirs, verdict, nodes))
        lines.append(f"| {title} | {' | '.join(cells)} | {seconds} / {used:.2f} |")
    return "\n".join(lines) + "\n", right


def update(text: str) -> None:
    page = PAGE.read_text()
    if BEGIN not in page or END not in page:
        sys.exit(f"{PAGE} has no markers {BEGIN} and {END}")
    before, rest = page.split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n{text}{END}{rest.split(END, 1)[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--regrain", default=str(HERE.parent / "target" / "release" / "regrain"))
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--update", action="store_true", help="write the table into the page")
    arguments = parser.parse_args()
    text, right = table(arguments.regrain, arguments.timeout)
    print(text, end="")
    if arguments.update:
        update(text)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
