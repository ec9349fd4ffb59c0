"""Regressions of a clone: a table of its own, small enough for a test, and what came of its jobs."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from clone import Clone, make_clone
from conftest import left_out_if_missing

PLAN = "| ID | Rule |\n|---|---|\n| AB-1 | One holds. |\n"


def make_stand_in(path: Path, ops: int = 10) -> Clone:
    """A clone with the stand-in, whose regression is one job of `ops` commands for each seed."""
    left_out_if_missing("icarus")
    clone = make_clone(path)
    (clone.path / "docs").mkdir()
    (clone.path / "docs" / "testplan.md").write_text(PLAN, encoding="utf-8")
    use_matrix(clone, [stand_in_row("random", ops)])
    return clone


def use_matrix(clone: Clone, rows: Sequence[str]) -> None:
    """Let a regression of the clone be made of these rows, without files of tests."""
    matrix = clone.path / "flow" / "regress" / "matrix.py"
    text = matrix.read_text(encoding="utf-8").partition("\n# The table of a test\n")[0]
    table = "".join(f"    {row},\n" for row in rows)
    text += f"\n# The table of a test\nMATRIX = (\n{table})\n_SUITES = ()\n"
    matrix.write_text(text, encoding="utf-8")


def stand_in_row(theme: str, ops: int = 10, test: str = "random_commands") -> str:
    """A row that runs a test of the stand-in, which has the tests of a run that goes wrong."""
    return f'Row("{theme}", "ub_load_unit", {{"icarus": ({{}},)}}, ops={ops}, tests=("{test}",))'


def verdicts(clone: Clone) -> dict[str, dict[str, Any]]:
    """Every verdict in the ledger, by the name of its job."""
    folder = clone.path / "build" / "regress" / "verdicts"
    # Hidden ones are still being written.
    paths = [path for path in folder.glob("*.json") if not path.name.startswith(".")]
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def words(clone: Clone) -> dict[str, str]:
    """By theme, the word for what came of a job."""
    return {
        verdict["job"]["theme"]: verdict["problems"][0][0] if verdict["problems"] else "passed"
        for verdict in verdicts(clone).values()
    }


def start(clone: Clone, *arguments: str, log: Path, **environment: str) -> subprocess.Popen:
    """Start a regression of the clone in a process group of its own, its output in `log`.

    It can be interrupted, also where these tests run in the background of a script, whose shell has
    them ignore that.
    """
    with log.open("wb") as output:
        return subprocess.Popen(
            ["env", "--default-signal=INT", *clone.command("regress", *arguments)],
            cwd=clone.path,
            env=clone.environment | environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def wait_until(true: Callable[[], bool], seconds: float = 120) -> None:
    """Wait for something to become true.

    Raises:
        AssertionError: it has not, in so many seconds.
    """
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"nothing for {seconds} s"
        time.sleep(0.05)


def processes_of(clone: Clone) -> list[int]:
    """The processes that work for the clone: those whose command line or folder is in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            folder = os.readlink(process / "cwd")
        except OSError:
            continue
        if os.fsencode(clone.path) in command or folder.startswith(str(clone.path)):
            found.append(int(process.name))
    return found
