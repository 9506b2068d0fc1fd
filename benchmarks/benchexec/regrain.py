"""Regrain for BenchExec: how it is called, and what its output means.

In a benchmark definition the tool is `benchmarks.benchexec.regrain`, with the root of the project on PYTHONPATH.
"""

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.template import UnsupportedFeatureException

# Exit codes without a verdict.
FAILURES = {2: "usage", 3: "input", 70: "internal"}

# The part of a limit that Regrain is told of, so that it ends by itself and its statistics are not lost.
SHARE = 0.95


class Tool(benchexec.tools.template.BaseTool2):
    """Verifier for concurrent C programs."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("regrain")

    def name(self):
        return "Regrain"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="regrain")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "verify", "--quiet", *options]
        if task.property_file:
            command += ["--property", task.property_file]
        if isinstance(task.options, dict) and task.options.get("data_model"):
            model = task.options["data_model"]
            if model not in ("ILP32", "LP64"):
                raise UnsupportedFeatureException(f"data model {model}")
            command += ["--data-model", model]
        time = rlimits.walltime or rlimits.cputime
        if time and "--timeout" not in options:
            command += ["--timeout", f"{SHARE * time:g}"]
        if rlimits.memory and "--memory-limit" not in options:
            command += ["--memory-limit", str(int(SHARE * rlimits.memory) >> 20)]
        return [*command, task.single_input_file]

    def determine_result(self, run):
        verdict = last_verdict(run.output)
        # A verdict counts only together with its exit code.
        if verdict == result.RESULT_TRUE_PROP and run.exit_code.value == 0:
            return verdict
        if verdict.startswith(result.RESULT_FALSE_PROP + "(") and run.exit_code.value == 10:
            return verdict
        if verdict.startswith("unknown") and run.exit_code.value == 5:
            return reason_of(verdict)
        if run.exit_code.value in FAILURES:
            return f"{result.RESULT_ERROR} ({FAILURES[run.exit_code.value]})"
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """The statistic of that name: the text after `NAME: `."""
        start = identifier.rstrip(": ") + ": "
        for line in reversed(output):
            if line.startswith(start):
                return line[len(start) :].strip()
        return None


def last_verdict(output):
    """The text of the last verdict line, or nothing."""
    lines = (line for line in reversed(output) if line.startswith("Verdict: "))
    return next(lines, "Verdict: ")[len("Verdict: ") :].strip()


def reason_of(verdict):
    """Why Regrain does not know."""
    if "time limit" in verdict:
        return result.RESULT_TIMEOUT
    if "memory limit" in verdict:
        return "OUT OF MEMORY"
    return result.RESULT_UNKNOWN
