"""The only module that calls cocotb's runner: carries out one job, in a process of its own.

The runner copies its process's environment and import path into the simulator, so a process
with a constructed environment is what makes a run independent of the user's. Usage:
`python -m flow.cocotb_job JOB.json`, a file written by `flow.build` or `flow.run`.
"""

import importlib
import json
import os
import re
import signal
import sys
from pathlib import Path

from cocotb_tools.runner import Verilator, get_runner

from flow.process import end_with_parent


def main(path: str) -> None:
    """Carry out the job in the file `path`; the exit status says whether it could be."""
    end_with_parent()
    job = json.loads(Path(path).read_text(encoding="utf-8"))
    try:
        _JOBS[job.pop("kind")](**job)
    except RuntimeError as error:
        # From the runner: the program that it started ended with a failure status.
        sys.exit(f"{error}{_signal_name(str(error))}")


def _signal_name(message: str) -> str:
    """What killed the program, if `message` ends with a negative status."""
    match = re.search(r"-(\d+)$", message)
    return f" ({signal.Signals(int(match[1])).name})" if match else ""


class _SomeVisible(Verilator):
    """Verilator that shows only what a control file among the sources names.

    By default cocotb sees every signal, and of a netlist's ten thousands each costs time.
    """

    def _build_command(self) -> list[list[str]]:
        commands = super()._build_command()
        return [[word for word in words if word != "--public-flat-rw"] for words in commands]


def _build(simulator: str, *, some_visible: bool, **arguments: object) -> None:
    runner = _SomeVisible() if some_visible else get_runner(simulator)
    runner.build(**arguments)


def _test(simulator: str, **arguments: object) -> None:
    get_runner(simulator).test(**arguments)


def _list(module: str, output: str) -> None:
    """Write the names of the tests of `module`, found as cocotb finds them."""
    from cocotb._decorators import Test, TestGenerator

    names: list[str] = []
    for item in vars(importlib.import_module(module)).values():
        tests = item.generate_tests() if isinstance(item, TestGenerator) else [item]
        names += [test.name for test in tests if isinstance(test, Test)]
    Path(output).write_text(json.dumps(names), encoding="utf-8")


_JOBS = {"build": _build, "test": _test, "list": _list}

if __name__ == "__main__":
    main(sys.argv[1])
    # Threads and exit handlers of the test modules have no say in the exit status.
    sys.stdout.flush()
    os._exit(0)
