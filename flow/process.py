"""Running one program in a process group of its own, logged and with a limit of wall time."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from flow.errors import UserError

SIGN_OF_LIFE_SECONDS = 15
PROGRESS = "progress: "


@dataclass(frozen=True)
class Ended:
    """How a program ended: exit status (negative: the signal), wall time in seconds."""

    status: int
    timed_out: bool
    seconds: float


def run(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    log: Path,
    limit: float,
    echo: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Ended:
    """Run `command` in `folder` with its output in `log`, which `echo` repeats to the user.

    `say` gets a line now and then, so that a long run is not taken for a hanging one, and what
    the program itself says of its progress: its lines that begin with PROGRESS.

    The whole group is killed after `limit` seconds, on an interrupt, and (through
    `end_with_parent`) when this process disappears.
    """
    start = time.monotonic()
    next_sign = SIGN_OF_LIFE_SECONDS
    alive, held_open = os.pipe()
    try:
        with log.open("wb") as output, log.open("rb") as written, _terminable():
            program = subprocess.Popen(
                command,
                env={**environment, "UBLOAD_PARENT_PIPE": str(alive)},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(alive,),
            )
            timed_out = False
            reader = _Reader(written, echo, say)
            try:
                for _ in _ticks(program):
                    seconds = time.monotonic() - start
                    if reader.read():
                        next_sign = seconds + SIGN_OF_LIFE_SECONDS
                    if seconds > next_sign:
                        say(f"... {seconds:.0f} s")
                        next_sign += SIGN_OF_LIFE_SECONDS
                    if seconds > limit:
                        timed_out = True
                        break
            finally:
                # Also after a normal end: what it left running must not outlive the run.
                _kill_group(program)
                program.wait()
            reader.read()
    finally:
        os.close(alive)
        os.close(held_open)
    return Ended(program.returncode, timed_out, time.monotonic() - start)


def run_tool(
    what: str,
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    log: Path,
    limit: float,
) -> None:
    """Run `command`, one step that the user knows as `what`.

    Raises:
        UserError: it failed or was killed by its limit; the message has the last lines of `log`.
    """
    ended = run(command, environment=environment, folder=folder, log=log, limit=limit)
    if ended.status != 0 or ended.timed_out:
        reason = f"was killed after {limit:g} s" if ended.timed_out else "failed"
        last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
        raise UserError("\n  ".join([f"{what} {reason}:", *last]))


def end_with_parent() -> None:
    """Called by a Python program: end its group when the parent that started it by `run` is gone."""
    pipe = os.environ.pop("UBLOAD_PARENT_PIPE", None)
    if pipe is None:
        return
    descriptor = int(pipe)

    def wait() -> None:
        os.read(descriptor, 1)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


def _ticks(program: subprocess.Popen) -> Iterator[None]:
    """One item now and then until `program` has ended."""
    while True:
        try:
            program.wait(timeout=0.1)
            return
        except subprocess.TimeoutExpired:
            yield


class _Reader:
    """Reads a log as it grows, and hands on what the user is to see of it."""

    def __init__(self, log: BinaryIO, echo: bool, say: Callable[[str], None]) -> None:
        self._log = log
        self._echo = echo
        self._say = say
        self._unfinished = ""

    def read(self) -> bool:
        """Hand on what is new; whether the program said how far it is."""
        text = self._log.read().decode("utf-8", "replace")
        if self._echo:
            sys.stdout.write(text)
            sys.stdout.flush()
        *lines, self._unfinished = (self._unfinished + text).split("\n")
        progress = [line.removeprefix(PROGRESS) for line in lines if line.startswith(PROGRESS)]
        for line in progress:
            self._say(line)
        return bool(progress)


def _kill_group(program: subprocess.Popen) -> None:
    try:
        os.killpg(program.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # Nothing of it is left; macOS says so with the second one.
        pass


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM unwind like an interrupt does, so that the group is killed on both."""

    def leave(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
