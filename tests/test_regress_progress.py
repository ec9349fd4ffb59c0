"""The line that says how far a regression is."""

import io
import re

import pytest

from flow.regress.progress import Counts, Progress, duration


class Output(io.StringIO):
    """A stream that is a terminal, or is none."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def shown(counts: Counts, terminal: bool) -> str:
    """What is written for one state."""
    output = Output(terminal)
    Progress(counts, output).show()
    return output.getvalue()


HALF = Counts(
    jobs=20, kept=4, running=2, passed=5, failed=1, checked=3000, slots=2, busy_seconds=60.0
)


@pytest.mark.proves("RN-34")
def test_it_says_what_is_done_and_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    line = shown(HALF, terminal=False)
    for part in ("10 of 20 jobs", "4 from before", "5 passed", "1 failed", "2 running", "8 to go"):
        assert part in line
    # Six jobs of ten seconds are done, ten are left for two workers.
    assert "50 s left" in line
    assert re.search(r"[\d,]+ commands/s", line)


@pytest.mark.proves("RN-34")
def test_a_terminal_gets_one_line_in_colour_and_a_file_plain_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    live = shown(HALF, terminal=True)
    assert live.startswith("\r") and "\n" not in live and "\033[32m5 passed" in live
    plain = shown(HALF, terminal=False)
    assert plain.endswith("\n") and "\033" not in plain and "\r" not in plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033[32m" not in shown(HALF, terminal=True)
    monkeypatch.setenv("TERM", "dumb")
    assert "\033" not in shown(HALF, terminal=True)


@pytest.mark.proves("RN-34")
def test_plain_lines_come_now_and_then_only() -> None:
    output = Output(terminal=False)
    progress = Progress(Counts(jobs=3, slots=1, running=1), output)
    for _ in range(50):
        progress.show()
    assert len(output.getvalue().splitlines()) == 1


@pytest.mark.proves("RN-34")
def test_without_a_worker_it_says_so() -> None:
    assert "waiting for workers" in shown(Counts(jobs=3), terminal=False)
    assert "waiting" not in shown(Counts(jobs=3, passed=3), terminal=False)


@pytest.mark.parametrize(
    "seconds, words",
    [(0.4, "0 s"), (59.4, "59 s"), (61, "1:01 min"), (3599, "59:59 min"), (7500, "2:05 h")],
)
def test_a_time_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
