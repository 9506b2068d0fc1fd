#!/usr/bin/env python3
"""Tables 1 and 2 of Cimatti, Narasamdya, Roveri, "Software model checking with explicit scheduler and
symbolic threads" (2012), beside ours.

    benchmarks/table_esst.py [--regrain PATH] [--timeout SECONDS] [--update]
                             [--sequentialised FOLDER] [NAME ...]

Runs `regrain verify --engine esst --scheduler fair-any-order` on the FairThreads programs of cooperative/
with each reduction, and prints a table in Markdown: in each cell the paper's number and ours, first abstract
states, then seconds of processor time. Programs may be named by the paper's names; default is all of them.
`--update` puts the tables into the page of the engine `esst`, between its markers.

With `--sequentialised FOLDER`, the folder `systemc` of the SV-COMP tasks, there is a third table: the
SystemC forms of cooperative/ with `--engine esst` beside the sequentialised originals with `--engine auto`.

Ends with 1 if a verdict is wrong.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs/src/engines/esst.md"
BEGIN, END = "<!-- table_esst begin -->", "<!-- table_esst end -->"
REDUCTIONS = ["none", "persistent", "sleep", "both"]
STATES = "States"

# Sequentialised tasks whose error is in the kernel that was written out.
OTHERWISE = ("pc_sfifo_1.cil-1", "pc_sfifo_2.cil-2", "transmitter.15.cil", "transmitter.16.cil")

# By the paper's name: our program, whether it is safe, the states of Table 2 and the seconds of Table 1 (None:
# out of time, or not there).
PAPER = {
    "fact1": ("fact1", True, (66, 66, 66, 66), (0.01, 0.01, 0.01, 0.01)),
    "fact1-bug": ("fact1_unsafe", False, (49, 49, 49, 49), (0.01, 0.01, 0.01, 0.03)),
    "fact1-mod": ("fact1_mod", True, (269, 269, 269, 269), (0.40, 0.40, 0.39, 0.39)),
    "fact2": ("fact2", True, (49, 49, 29, 29), (0.01, 0.01, 0.01, 0.01)),
    "gear-box": ("ft_gear_box", True, (None, 204178, 60823, 58846), (None, 473.55, 44.89, 44.19)),
    "ft-pc-sfifo1": ("ft_pc_sfifo1", True, (180, 180, 180, 180), (0.30, 0.30, 0.29, 0.29)),
    "ft-pc-sfifo2": ("ft_pc_sfifo2", True, (540, 287, 310, 287), (0.39, 0.39, 0.30, 0.39)),
}
RINGS = {
    3: ((1304, 575, 228, 180), (0.48, 0.29, 0.20, 0.20)),
    4: ((7464, 2483, 375, 266), (5.20, 1.10, 0.29, 0.29)),
    5: ((50364, 7880, 699, 395), (213.37, 6.20, 0.50, 0.40)),
    6: ((None, 32578, 1239, 518), (None, 92.39, 0.69, 0.49)),
    7: ((None, None, 2195, 963), (None, None, 0.99, 0.80)),
    8: ((None, None, 4290, 1088), (None, None, 1.80, 0.89)),
    9: ((None, None, 8863, 2628), (None, None, 3.89, 1.70)),
    10: ((None, None, 16109, 3292), (None, None, 9.60, 2.10)),
}
RING_BUGS = {
    3: ((496, 223, 113, 89), (0.10, 0.10, 0.10, 0.10)),
    4: ((2698, 914, 179, 125), (1.70, 0.30, 0.10, 0.10)),
    5: ((17428, 2801, 328, 181), (66.09, 1.80, 0.10, 0.10)),
    6: ((None, 11302, 611, 251), (None, 26.29, 0.20, 0.10)),
    7: ((None, None, 1064, 457), (None, None, 0.30, 0.20)),
    8: ((None, None, 2133, 533), (None, None, 0.60, 0.29)),
    9: ((None, None, 4310, 1281), (None, None, 1.40, 0.60)),
    10: ((None, None, 8039, 1632), (None, None, 3.60, 0.79)),
}
NOTHING = ((None,) * 4, (None,) * 4)


def programs() -> dict:
    """The rows of the tables; the rings of more than ten are ours alone."""
    rows = dict(PAPER)
    for n in range(3, 16):
        rows[f"ft-token-ring.{n}"] = (f"ft_token_ring_{n:02}", True, *RINGS.get(n, NOTHING))
    for n in range(3, 16):
        rows[f"ft-token-ring-bug.{n}"] = (f"ft_token_ring_{n:02}_unsafe", False, *RING_BUGS.get(n, NOTHING))
    return rows


def run(regrain: str, program: pathlib.Path, options: list[str], timeout: float) -> tuple:
    """Verdict, statistics and seconds of processor time."""
    command = [regrain, "verify", str(program), *options]
    command += ["--timeout", str(timeout), "--format", "json", "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(done.stdout)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found["verdict"], found["statistics"], used


def wrong(verdict: str, safe: bool) -> bool:
    return not verdict.startswith(("unknown", "true" if safe else "false"))


def cell(paper, verdict: str, ours) -> str:
    """The paper's number and ours; a dash is none."""
    return f"{'–' if paper is None else paper} / {'–' if verdict.startswith('unknown') else ours}"


def esst_table(arguments) -> tuple[str, bool]:
    heads = [f"{por}, {what}" for what in ("states", "seconds") for por in REDUCTIONS]
    lines = [f"| program | {' | '.join(heads)} |", "|---" * 9 + "|"]
    right = True
    for title, (name, safe, states, seconds) in programs().items():
        if arguments.names and title not in arguments.names:
            continue
        counts, times = [], []
        for por, their_states, their_seconds in zip(REDUCTIONS, states, seconds, strict=True):
            options = ["--engine", "esst", "--scheduler", "fair-any-order", "--por", por]
            program = HERE / "cooperative" / f"{name}.c"
            verdict, statistics, used = run(arguments.regrain, program, options, arguments.timeout)
            right &= not wrong(verdict, safe)
            counts.append(cell(their_states, verdict, statistics.get(STATES)))
            times.append(cell(their_seconds, verdict, f"{used:.2f}"))
        lines.append(f"| {title} | {' | '.join(counts + times)} |")
    return "\n".join(lines) + "\n", right


def originals(folder: pathlib.Path) -> dict:
    """Our SystemC forms by name, each with its sequentialised original, by the expected verdicts of the tasks."""
    pairs = {}
    for task in sorted(folder.glob("*.yml")):
        safe = "expected_verdict: true" in reachability(task)
        name = f"sc_{task.name.split('.cil')[0].replace('.', '_')}{'' if safe else '_unsafe'}"
        if (HERE / "cooperative" / f"{name}.c").exists() and task.stem not in OTHERWISE:
            pairs[name] = (task.with_suffix(".c"), safe)
    return pairs


def reachability(task: pathlib.Path) -> str:
    """What a task says after its property of reachability."""
    return task.read_text().partition("unreach-call.prp")[2].partition("property_file")[0]


def systemc_table(arguments, folder: pathlib.Path) -> tuple[str, bool]:
    lines = ["| program | verdict | sequentialised, `auto`, seconds | threaded, `esst`, seconds |", "|---|---|---|---|"]
    right = True
    for name, (original, safe) in originals(folder).items():
        cells = []
        for program, engine in ((original, "auto"), (HERE / "cooperative" / f"{name}.c", "esst")):
            verdict, _, used = run(arguments.regrain, program, ["--engine", engine], arguments.timeout)
            right &= not wrong(verdict, safe)
            cells.append("–" if verdict.startswith("unknown") else f"{used:.2f}")
        lines.append(f"| {name} | {str(safe).lower()} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n", right


def update(text: str) -> None:
    page = PAGE.read_text()
    if BEGIN not in page or END not in page:
        sys.exit(f"{PAGE} has no markers {BEGIN} and {END}")
    before, rest = page.split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n{text}{END}{rest.split(END, 1)[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--regrain", default=str(HERE.parent / "target" / "release" / "regrain"))
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--sequentialised", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--update", action="store_true", help="write the tables into the page")
    arguments = parser.parse_args()
    text, right = esst_table(arguments)
    if arguments.sequentialised:
        more, also = systemc_table(arguments, arguments.sequentialised)
        text, right = f"{text}\n{more}", right and also
    print(text, end="")
    if arguments.update:
        update(text)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
