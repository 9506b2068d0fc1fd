#!/usr/bin/env python3
"""Table 1 of Gupta, Popeea, Rybalchenko (ATVA 2010) beside ours.

    benchmarks/table1.py [--regrain PATH] [--runs N] [--update]

Runs `regrain compare` on sets/table1.set, at least N times each (5 unless told), and prints a table in Markdown with the
paper's figures and the medians of ours; the saving is the median of the ratios within each run. `--update` puts it into
the page of the engine `cegar`, between its markers.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs/src/engines/cegar.md"
BEGIN, END = "<!-- table1 begin -->", "<!-- table1 end -->"

# Seconds and classes, monotonic and non-monotonic, as printed in the paper.
PAPER = {
    "bakery_atomic": ("Bakery, atomic ticket", (6.6, 8), (4.8, 7)),
    "bakery": ("Bakery", (54, 14), (26, 10)),
    "bluetooth": ("Bluetooth", (19.5, 7), (16.4, 5)),
    "mozilla_order": ("Mozilla order, fixed", (2.7, 5), (1.6, 3)),
    "time_varying_mutex": ("Time-varying mutex", (9.6, 10), (7.1, 7)),
}


def measure(regrain: str, runs: int) -> dict:
    command = [regrain, "compare", "--format", "json", "--runs", str(runs), str(HERE / "sets" / "table1.set")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 5):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return {(run["program"], run["mode"]): run for run in json.loads(done.stdout)["runs"]}


def seconds(value: float) -> str:
    return f"{1000 * value:.3g} ms" if value < 1 else f"{value:.1f} s"


def table(found: dict) -> str:
    lines = [
        "| program | paper, monotonic | paper, non-monotonic | Regrain, monotonic | Regrain, non-monotonic | saving |",
        "|---|---|---|---|---|---|",
    ]
    for name, (title, old, new) in PAPER.items():
        ours = [found[name, mode] for mode in ("monotonic", "non-monotonic")]
        cells = [f"{time} s, {classes} classes" for time, classes in (old, new)]
        for run in ours:
            verdict = "" if run["verdict"] == "true" else f" ({run['verdict']})"
            cells.append(f"{seconds(run['total'])}, {run['classes']} classes{verdict}")
        lines.append(f"| {title} | {' | '.join(cells)} | {100 * ours[1]['saving']:.0f} % |")
    return "\n".join(lines) + "\n"


def update(text: str) -> None:
    page = PAGE.read_text()
    if BEGIN not in page or END not in page:
        sys.exit(f"{PAGE} has no markers {BEGIN} and {END}")
    before, rest = page.split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n{text}{END}{rest.split(END, 1)[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--regrain", default=str(HERE.parent / "target" / "release" / "regrain"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--update", action="store_true", help="write the table into the page")
    arguments = parser.parse_args()
    text = table(measure(arguments.regrain, arguments.runs))
    print(text, end="")
    if arguments.update:
        update(text)


if __name__ == "__main__":
    main()
