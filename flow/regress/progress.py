"""How far a regression is: one line that changes on a terminal, plain lines now and then elsewhere."""

import os
import shutil
import sys
import time
from dataclasses import dataclass
from typing import TextIO

PLAIN_SECONDS = 15


@dataclass
class Counts:
    """Of a regression: all jobs, those that had a verdict before, and what came of the others.

    `slots` is how many can run at once, `busy_seconds` what those have taken that are done.
    """

    jobs: int
    kept: int = 0
    running: int = 0
    building: int = 0
    passed: int = 0
    failed: int = 0
    checked: int = 0
    slots: int = 0
    busy_seconds: float = 0.0

    @property
    def done(self) -> int:
        """Jobs that have a verdict."""
        return self.kept + self.passed + self.failed


class Progress:
    """Says how far a regression is, and how long the rest will take at the pace so far."""

    def __init__(self, counts: Counts, output: TextIO = sys.stderr) -> None:
        self.counts = counts
        self._output = output
        self._start = time.monotonic()
        self._live = output.isatty() and os.environ.get("TERM") != "dumb"
        self._colour = self._live and "NO_COLOR" not in os.environ
        self._shown = 0.0
        self._shown_done = -1

    @property
    def seconds(self) -> float:
        """Wall time since the start."""
        return time.monotonic() - self._start

    def show(self) -> None:
        """Show the present state, if it is time to."""
        now = time.monotonic()
        if self._live:
            if now - self._shown > 0.1:
                width = shutil.get_terminal_size().columns - 1
                self._output.write(f"\r\033[K{self._line(width)}")
                self._output.flush()
                self._shown = now
        elif now - self._shown > PLAIN_SECONDS and self.counts.done != self._shown_done:
            print(self._text(), file=self._output, flush=True)
            self._shown, self._shown_done = now, self.counts.done

    def say(self, line: str) -> None:
        """A line that stays."""
        self.clear()
        print(line, file=self._output, flush=True)

    def clear(self) -> None:
        """Take the line away that changes."""
        if self._live:
            self._output.write("\r\033[K")
            self._output.flush()

    def last(self) -> None:
        """The last state, as a line that stays."""
        self.say(self._text())

    def _text(self) -> str:
        counts = self.counts
        seconds = self.seconds
        parts = [f"{counts.done} of {counts.jobs} jobs"]
        if counts.kept:
            parts.append(f"{counts.kept} from before")
        parts += [f"{counts.passed} passed", f"{counts.failed} failed"]
        if counts.running or counts.building:
            building = f" ({counts.building} of them builds)" if counts.building else ""
            parts.append(f"{counts.running + counts.building} running{building}")
        parts.append(f"{counts.jobs - counts.done - counts.running} to go")
        if not counts.slots and counts.done < counts.jobs:
            parts.append("waiting for workers")
        if counts.checked:
            parts.append(f"{counts.checked / seconds:,.0f} commands/s")
        if rest := self._seconds_left():
            parts.append(f"{duration(rest)} left")
        return ", ".join(parts)

    def _line(self, width: int) -> str:
        text = self._text()[:width]
        if self._colour:
            counts = self.counts
            text = text.replace(f"{counts.passed} passed", f"\033[32m{counts.passed} passed\033[0m")
            if counts.failed:
                failed = f"{counts.failed} failed"
                text = text.replace(failed, f"\033[31;1m{failed}\033[0m")
        return text

    def _seconds_left(self) -> float:
        """At the mean of the jobs so far; builds, which come first, are not in it."""
        counts = self.counts
        own = counts.passed + counts.failed
        left = counts.jobs - counts.done
        return counts.busy_seconds / own * left / counts.slots if own and counts.slots else 0.0


def duration(seconds: float) -> str:
    """A time in words: `41 s`, `3:07 min`, `2:05 h`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60) if seconds >= 3600 else int(seconds // 60)
    if seconds >= 3600:
        return f"{minutes // 60}:{minutes % 60:02} h"
    return f"{minutes}:{int(seconds % 60):02} min"
