"""Running a program: what it says of its progress reaches the user, and its failure too."""

import os
import sys
from pathlib import Path

import pytest

from flow import process
from flow.errors import UserError

HALVES = """
import time
for text in ("progress: one", " line\\nno progress: here\\nprogress: another\\n"):
    print(text, end="", flush=True)
    time.sleep(0.3)
"""


def test_a_line_of_progress_is_said_once_and_whole(tmp_path: Path) -> None:
    """Also where its halves are written apart."""
    said: list[str] = []
    process.run(
        [sys.executable, "-c", HALVES],
        environment=os.environ,
        folder=tmp_path,
        log=tmp_path / "log",
        limit=60,
        say=said.append,
    )
    assert said == ["one line", "another"]


def test_a_step_that_fails_says_its_last_lines(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the example failed:\n  what was wrong"):
        process.run_tool(
            "the example",
            [sys.executable, "-c", "print('what was wrong'); raise SystemExit(3)"],
            environment=os.environ,
            folder=tmp_path,
            log=tmp_path / "log",
            limit=60,
        )
