"""Workers on this machine: a process for each task."""

import queue
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flow import process, tools
from flow.places import VENV, import_root
from flow.regress.worker import Task

# A job ends by its own limit; this is for a worker that hangs for reasons of its own.
_WORKER_LIMIT_SECONDS = 24 * 3600


class LocalWorkers:
    """Up to `slots` tasks at a time, each in a process that dies with this one."""

    title = "processes of this machine"

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._ended: queue.SimpleQueue[tuple[Task, str]] = queue.SimpleQueue()

    def slots(self) -> int:
        """How many tasks can run at once."""
        return self._slots

    def start(self, task: Task) -> None:
        """Start a task."""
        threading.Thread(target=self._carry_out, args=(task,), daemon=True).start()

    def ended(self, seconds: float) -> list[tuple[Task, str]]:
        """Tasks that have ended, and why each of them is lost ("" where it is not); waits a while."""
        found = []
        try:
            found.append(self._ended.get(timeout=seconds))
            while True:
                found.append(self._ended.get_nowait())
        except queue.Empty:
            return found

    def _carry_out(self, task: Task) -> None:
        try:
            said = self._run(task)
        except (OSError, RuntimeError) as error:
            said = repr(error)
        self._ended.put((task, said))

    def _run(self, task: Task) -> str:
        with tempfile.TemporaryDirectory(prefix="ubload-task-") as name:
            folder = Path(name)
            description, log = folder / "task.json", folder / "worker.log"
            description.write_text(task.to_json(), encoding="utf-8")
            environment = tools.environment(
                PYTHONPATH=str(import_root()), PYTHONNOUSERSITE="1", PYTHONDONTWRITEBYTECODE="1"
            )
            environment["PATH"] += f":{VENV.resolve() / 'bin'}"
            ended = process.run(
                [sys.executable, "-s", "-m", "flow.regress.worker", str(description)],
                environment=environment,
                folder=folder,
                log=log,
                limit=_WORKER_LIMIT_SECONDS,
            )
            if ended.status == 0:
                return ""
            last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            return f"the worker ended with status {ended.status}" + "".join(f": {x}" for x in last)


@contextmanager
def local_workers(slots: int) -> Iterator[LocalWorkers]:
    """Workers on this machine; their processes end with this one, however it ends."""
    yield LocalWorkers(slots)
