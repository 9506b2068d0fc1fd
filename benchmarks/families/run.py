#!/usr/bin/env python3
"""How engines grow with the size of a program: scar, and for threads that are alike explore.

    benchmarks/families/run.py [--regrain PATH] [--family NAME]... [--sizes N,N...] [--timeout SECONDS]
                               [--csv FILE] [--html FILE] [--keep FOLDER]

Writes the programs of `programs.py`, runs `regrain bench` on them, and prints for each family a line a size: time, clauses of the
abstraction and rounds of refinement, for the ways to validate and encode under SC, and for the memory models. Then the ratios of the
times, on the programs that both decide: of the whole runs in CPU time, from preprocessing to telling the counterexample, and of the
engine's own work, solving and graphs. Families of threads that are alike are asked about with and without that knowledge, and with
and without persistent sets. `--sizes` leaves out sizes below a family's smallest. Ends with the exit code of
`regrain bench`: 10 if a verdict is wrong.
"""

import argparse
import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from plot import page
from programs import ALIKE, FAMILIES, write

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# What is compared: the first is the yardstick.
VARIANTS = {
    "graph": "--engine scar --validation graph",
    "model": "--engine scar --validation model",
    "constraint": "--engine scar --validation constraint",
    "monolithic": "--engine scar --encoding monolithic",
    "tso": "--engine scar --mm tso",
    "pso": "--engine scar --mm pso",
}

# The same for threads that are alike.
VARIANTS_ALIKE = {
    "explore": "--engine explore",
    "explore_apart": "--engine explore --symmetry off",
    "explore_all": "--engine explore --symmetry off --por static",
    "scar": "--engine scar",
    "scar_apart": "--engine scar --symmetry off",
    "scar_tso": "--engine scar --mm tso",
}


def measure(arguments, folder):
    """Runs the benchmark; returns its exit code and the runs by family, size and variant."""
    families = arguments.family or FAMILIES
    kinds = [([name for name in families if name not in ALIKE], VARIANTS), ([name for name in families if name in ALIKE], VARIANTS_ALIKE)]
    done = [compare(arguments, folder, names, variants) for names, variants in kinds if names]
    return max(code for code, _ in done), [run for _, runs in done for run in runs]


def compare(arguments, folder, families, variants):
    """The same for some families, all with the same variants."""
    property_file = ROOT / "benchmarks/properties/unreach-call.prp"
    tasks = []
    for name in families:
        usual = FAMILIES[name][1]
        sizes = [n for n in arguments.sizes or usual if n >= usual[0]]
        tasks += [write(folder, name, n, property_file) for n in sizes]
    command = [arguments.regrain, "bench", *map(str, tasks), "--json", str(folder / "runs.json")]
    command += ["--timeout", str(arguments.timeout), "--jobs", str(arguments.jobs)]
    for name, options in variants.items():
        command += ["--compare", f"{name}: {options}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 10):
        sys.exit(f"{done.stdout}\n{' '.join(command)} ended with {done.returncode}")
    if done.returncode == 10:
        print(done.stdout)
    return done.returncode, [row(run) for run in json.loads((folder / "runs.json").read_text())["runs"]]


def row(run):
    """A run with what is shown of it."""
    family, n = run["task"].rsplit("-", 1)
    numbers = {name: run["statistics"].get(name, 0) for name in ("Clauses", "Clauses added", "Rounds", "Events", "States")}
    return {
        "family": family,
        "n": int(n),
        "variant": run["contestant"],
        "verdict": run["verdict"],
        "mark": run["mark"],
        "seconds": run["cpu_seconds"],
        "solving": run["statistics"].get("SAT time", 0) + run["statistics"].get("Graph time", 0),
        "clauses": numbers["Clauses"],
        "added": numbers["Clauses added"],
        "rounds": numbers["Rounds"],
        "events": numbers["Events"],
        "states": numbers["States"],
        "memory_mb": run["memory_mb"],
    }


def tables(runs):
    """One table a family."""
    for family in dict.fromkeys(run["family"] for run in runs):
        mine = [run for run in runs if run["family"] == family]
        names = list(dict.fromkeys(run["variant"] for run in mine))
        print(f"{family}: {FAMILIES[family][0].__doc__ or 'as above, but ' + family.split('_')[-1] + '.'}")
        print("   N  " + "  ".join(f"{name:>26}" for name in names))
        sizes = "states" if family in ALIKE else "clauses"
        print("      " + "  ".join(f"{'time':>9} {sizes:>8} {'rounds':>7}" for _ in names))
        for n in dict.fromkeys(run["n"] for run in mine):
            found = {run["variant"]: run for run in mine if run["n"] == n}
            print(f"{n:4}  " + "  ".join(cell(found[name]) for name in names))
        print()


def cell(run):
    time = f"{run['seconds']:.2f} s" if run["mark"] == "correct" else run["verdict"][:9]
    return f"{time:>9} {run['clauses'] or run['states']:>8} {run['rounds']:>7}"


def ratios(runs):
    """Each variant against the first of its kind, on the programs that both decide."""
    kinds = [[run for run in runs if (run["family"] in ALIKE) == alike] for alike in (False, True)]
    return [line for kind in kinds if kind for line in ratios_of(kind)]


def ratios_of(runs):
    names = list(dict.fromkeys(run["variant"] for run in runs))
    decided = {(run["family"], run["n"], run["variant"]): run for run in runs if run["mark"] == "correct"}
    lines = []
    for name in names[1:]:
        both = [key[:2] for key in decided if key[2] == names[0] and (*key[:2], name) in decided]
        pairs = [(decided[(*key, names[0])], decided[(*key, name)]) for key in both]
        parts = [ratio(pairs, "seconds", "time"), ratio(pairs, "solving", "solving")] if pairs else []
        alone = f"decided by {names[0]} alone {only(decided, names[0], name)}, by {name} alone {only(decided, name, names[0])}"
        lines.append("; ".join([f"{name} / {names[0]} on {len(pairs)} programs", *parts, alone]))
    return lines


def ratio(pairs, key, label):
    """The ratio of the sums, the geometric mean of the ratios, and the largest one; what is below a millisecond counts as one."""
    times = [(max(one[key], 0.001), max(other[key], 0.001), f"{one['family']} {one['n']}") for one, other in pairs]
    total = sum(other for _, other, _ in times) / sum(one for one, _, _ in times)
    mean = math.exp(sum(math.log(other / one) for one, other, _ in times) / len(times))
    most = max(times, key=lambda pair: pair[1] / pair[0])
    return f"{label} {total:.2f}, geometric mean {mean:.2f}, most {most[1] / most[0]:.1f} ({most[2]})"


def only(decided, one, other):
    """How many programs one variant decides and the other does not."""
    return sum(variant == one and (family, n, other) not in decided for family, n, variant in decided)


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--regrain", default=str(ROOT / "target/release/regrain"))
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--sizes", type=numbers)
    parser.add_argument("--timeout", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--html", type=Path)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        code, runs = measure(arguments, folder)
    tables(runs)
    print("\n".join(ratios(runs)))
    if arguments.csv:
        with arguments.csv.open("w", newline="") as file:
            table = csv.DictWriter(file, list(runs[0]))
            table.writeheader()
            table.writerows(runs)
    if arguments.html:
        arguments.html.write_text(page(runs, ratios(runs), arguments.timeout))
    return code


if __name__ == "__main__":
    sys.exit(main())
