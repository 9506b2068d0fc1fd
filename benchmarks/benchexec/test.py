#!/usr/bin/env python3
"""Tests the tool-info module and the benchmark definitions with the real BenchExec.

    test.py [FOLDER]      FOLDER has the binary `regrain`; target/debug if not given

BenchExec is installed into a virtual environment in .deps/, once.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ENVIRONMENT = ROOT / ".deps/benchexec"
PINS = ["BenchExec==3.30", "PyYAML==6.0.3"]

MODULE = "benchmarks.benchexec.regrain"
BINARIES = ROOT / "target/debug"

ENDLESS = """#include <assert.h>
unsigned long x;
int main(void) { for (;;) { x++; assert(x != 1000000000000); } }
"""


def prepare():
    """The Python of an environment with BenchExec in it."""
    python, stamp = ENVIRONMENT / "bin/python", ENVIRONMENT / "pins"
    if not (stamp.exists() and stamp.read_text().split() == PINS):
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--no-deps", *PINS], check=True)
        stamp.write_text("\n".join(PINS))
    return str(python)


def main(arguments):
    if Path(sys.prefix).resolve() != ENVIRONMENT.resolve():
        python = prepare()
        settings = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        os.execve(python, [python, __file__, *arguments], {**os.environ, **settings})
    global BINARIES
    BINARIES = Path(arguments[0]).resolve() if arguments else BINARIES
    os.environ["PATH"] = f"{BINARIES}{os.pathsep}{os.environ['PATH']}"
    unittest.main(argv=[__file__, "-v"])


def tool():
    import importlib

    return importlib.import_module(MODULE).Tool()


def run_of(arguments, **settings):
    """A real run of Regrain as BenchExec shows it to the module: both outputs as one list of lines."""
    from benchexec.tools.template import BaseTool2
    from benchexec.util import ProcessExitCode

    done = subprocess.run(
        [str(BINARIES / "regrain"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    output = BaseTool2.RunOutput(done.stdout.splitlines(keepends=True))
    code = ProcessExitCode.create(value=done.returncode)
    return BaseTool2.Run(arguments, code, output, settings.get("reason"))


class ToolInfo(unittest.TestCase):
    def test_benchexec_accepts_the_module(self):
        task = str(ROOT / "benchmarks/mutex/peterson.yml")
        command = [sys.executable, "-m", "benchexec.test_tool_info", MODULE, "--no-container"]
        done = subprocess.run([*command, "--task-definition", task], capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"Version: “0\.1\.0 \(Z3 5\.\d+\.\d+, CaDiCaL [\d.]+, BatSat [\d.]+\)”")
        self.assertNotIn("Traceback", done.stderr)
        for part in ["'verify'", "'--property'", "unreach-call.prp'", "'--data-model', 'LP64'", "peterson.c'"]:
            self.assertIn(part, done.stderr)

    def test_command_line(self):
        from benchexec.tools.template import BaseTool2

        limits = BaseTool2.ResourceLimits(cputime=100, memory=1 << 30)
        task = BaseTool2.Task(["p.c"], None, "u.prp", {"language": "C", "data_model": "ILP32"})
        self.assertEqual(
            tool().cmdline("regrain", ["--engine", "cegar"], task, limits),
            "regrain verify --quiet --engine cegar --property u.prp --data-model ILP32 --timeout 95"
            " --memory-limit 972 p.c".split(),
        )
        given = tool().cmdline("regrain", ["--timeout", "7", "--memory-limit", "9"], task, limits)
        self.assertEqual((given.count("--timeout"), given.count("--memory-limit")), (1, 1))

    def test_results_of_real_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            endless = Path(folder) / "endless.c"
            endless.write_text(ENDLESS)
            broken = Path(folder) / "broken.c"
            broken.write_text("int main(void) { return undefined_function(); }\n")
            peterson, unsafe = "benchmarks/mutex/peterson.c", "benchmarks/mutex/peterson_unsafe.c"
            for arguments, expected in [
                ([peterson], "true"),
                ([unsafe], "false(unreach-call)"),
                (["--engine", "cegar", "--mm", "tso", peterson], "unknown"),
                (["--engine", "explore", "--timeout", "1", str(endless)], "TIMEOUT"),
                (["--engine", "explore", "--memory-limit", "60", str(endless)], "OUT OF MEMORY"),
                (["--no-such-option", peterson], "ERROR (usage)"),
                ([str(broken)], "ERROR (input)"),
            ]:
                with self.subTest(arguments):
                    run = run_of(["verify", *arguments])
                    self.assertEqual(tool().determine_result(run), expected, "".join(run.output))

    def test_a_verdict_needs_its_exit_code(self):
        from benchexec.util import ProcessExitCode

        run = run_of(["verify", "benchmarks/mutex/peterson.c"])
        for code in [ProcessExitCode.create(value=10), ProcessExitCode.create(signal=9)]:
            self.assertEqual(tool().determine_result(run._replace(exit_code=code)), "ERROR")

    def test_statistics(self):
        output = run_of(["verify", "--engine", "explore", "benchmarks/mutex/peterson.c"]).output
        self.assertEqual(tool().get_value_from_output(output, "Engine"), "explore")
        self.assertGreater(int(tool().get_value_from_output(output, "States")), 10)
        self.assertIsNone(tool().get_value_from_output(output, "Stat"))


def benchmark(path):
    """A benchmark definition as BenchExec's own code reads it."""
    import benchexec.benchexec
    from benchexec.model import Benchmark

    executor = benchexec.benchexec.BenchExec()
    config = executor.create_argument_parser().parse_args(["--no-container", str(path)])
    return Benchmark(str(path), config, benchexec.util.read_local_time())


class Definitions(unittest.TestCase):
    def test_the_definition_holds_every_task_for_each_engine(self):
        definition = benchmark(HERE / "regrain.xml")
        definition.executable = "regrain"
        sets = {run_set.name: run_set.runs for run_set in definition.run_sets}
        self.assertEqual(list(sets), ["auto", "explore", "cegar", "impact", "scar", "tables", "litmus", "cooperative"])
        for name, runs in sets.items():
            tasks = {Path(path).resolve() for path in glob.glob(str(ROOT / "benchmarks/*/*.yml"))}
            apart = ["tables", "litmus", "cooperative"]
            kind = name if name in apart else "programs"
            tasks = {task for task in tasks if (task.parent.name if task.parent.name in apart else "programs") == kind}
            self.assertEqual({Path(run.identifier).resolve() for run in runs}, tasks)
            self.assertTrue(all(len(run.properties) == 1 for run in runs))
        command = " ".join(sets["cegar"][0].cmdline())
        self.assertRegex(command, r"verify --quiet --engine cegar --property \S+ --data-model LP64 --timeout 57 ")
        verdicts = {Path(run.identifier).stem: list(run.expected_results.values())[0].result for run in sets["auto"]}
        self.assertEqual((verdicts["peterson"], verdicts["peterson_unsafe"]), (True, False))

    def test_the_definition_for_sv_comp_is_well_formed(self):
        root = ElementTree.parse(HERE / "svcomp.xml").getroot()
        self.assertEqual(root.get("tool"), MODULE)
        names = [column.text for column in root.iter("column")]
        self.assertEqual(names, [c.text for c in ElementTree.parse(HERE / "regrain.xml").getroot().iter("column")])

    def test_a_real_benchmark(self):
        """BenchExec runs four tasks and finds the verdicts correct; the table has the columns."""
        from benchexec.cgroups import Cgroups

        if not getattr(Cgroups.initialize(), "subsystems", None):
            self.skipTest("BenchExec runs nothing without control groups, and there are none here")
        with tempfile.TemporaryDirectory() as folder:
            table = self.run_benchmark(Path(folder))
        self.assertRegex(table, r"peterson\.yml\ttrue\ttrue\t.*\texplore\t\d+")
        self.assertRegex(table, r"peterson_unsafe\.yml\tfalse\tfalse\(unreach-call\)\t.*\texplore\t\d+")

    def run_benchmark(self, folder):
        # Without the limits that not every user may set.
        text = re.sub(r' (memlimit|cpuCores|hardtimelimit)="[^"]*"', "", (HERE / "regrain.xml").read_text())
        text = text.replace("timelimit=", "walltimelimit=")
        text = re.sub(r'<rundefinition name="(auto|cegar|impact|scar|tables|litmus|cooperative)">.*?</rundefinition>', "", text, flags=re.S)
        (folder / "small.set").write_text(f"{ROOT}/benchmarks/mutex/peterson[_.]*yml\n")
        text = text.replace("../sets/programs.set", "small.set")
        text = text.replace("../properties", f"{ROOT}/benchmarks/properties")
        definition = folder / "small.xml"
        definition.write_text(text)
        command = [sys.executable, "-m", "benchexec.benchexec", "--no-container", "--no-compress-results"]
        command += ["--outputpath", f"{folder}/", str(definition)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        results = glob.glob(f"{folder}/*.results.*.xml")
        self.assertEqual(len(results), 1, done.stdout + done.stderr)
        categories = re.findall(r'title="category" value="(\w+)"', Path(results[0]).read_text())
        self.assertEqual(categories, ["correct"] * 4, done.stdout + done.stderr)
        command = [str(ENVIRONMENT / "bin/table-generator"), "--format", "csv", "--name", "t"]
        command += ["--outputpath", str(folder), results[0]]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return (folder / "t.csv").read_text()


if __name__ == "__main__":
    main(sys.argv[1:])
