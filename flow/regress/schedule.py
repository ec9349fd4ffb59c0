"""Which task runs when: builds before what needs them, jobs that had failed before all others."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from flow.regress.job import SUITE, Job
from flow.regress.ledger import Entry, Ledger
from flow.regress.progress import Progress
from flow.regress.sources import fingerprint
from flow.regress.worker import Task
from flow.verdict import Problem, Verdict, Word

TRIES = 2
_WAIT_SECONDS = 0.2


class Workers(Protocol):
    """Whoever carries out tasks."""

    title: str

    def slots(self) -> int: ...

    def start(self, task: Task) -> None: ...

    def ended(self, seconds: float) -> list[tuple[Task, str]]: ...


def fingerprints(jobs: Sequence[Job]) -> dict[Job, str]:
    """That of each job, worked out once for all of its seeds.

    Raises:
        UserError: a simulator is not here.
    """
    by_kind: dict[tuple[str, ...], str] = {}
    found = {}
    for job in jobs:
        kind = (job.bench, job.simulator, job.theme if job.bench == SUITE else "")
        if kind not in by_kind:
            by_kind[kind] = fingerprint(job)
        found[job] = by_kind[kind]
    return found


def in_order(jobs: Sequence[Job], before: Mapping[Job, Entry | None]) -> list[Job]:
    """Jobs that had failed first, the others as they are."""
    return sorted(jobs, key=lambda job: (entry := before[job]) is None or entry.passed)


class Schedule:
    """Carries jobs out on workers until each has a verdict in the ledger."""

    def __init__(
        self,
        jobs: Sequence[Job],
        fingerprint_of: Mapping[Job, str],
        ledger: Ledger,
        workers: Workers,
        progress: Progress,
        limit: float,
    ) -> None:
        self._fingerprint_of = fingerprint_of
        self._ledger = ledger
        self._workers = workers
        self._progress = progress
        self._limit = limit
        self._builds: deque[Task] = deque()
        self._ready: deque[Task] = deque()
        self._waiting: dict[Job, deque[Task]] = defaultdict(deque)
        self._tries: dict[Task, int] = defaultdict(int)
        self._before = {job: ledger.read(job) for job in jobs}
        self._left = len(jobs)
        for job in jobs:
            self._plan(job)

    def run(self, on_entry: Callable[[Entry], None]) -> None:
        """Carry everything out; `on_entry` gets each verdict as it comes."""
        while self._left:
            counts = self._progress.counts
            counts.slots = self._workers.slots()
            while counts.running + counts.building < counts.slots and (task := self._next()):
                self._workers.start(task)
                if task.only_build:
                    counts.building += 1
                else:
                    counts.running += 1
            for task, why_lost in self._workers.ended(_WAIT_SECONDS):
                if task.only_build:
                    counts.building -= 1
                    self._ready += self._waiting.pop(task.job)
                    continue
                counts.running -= 1
                if (entry := self._entry(task, why_lost)) is not None:
                    self._left -= 1
                    on_entry(entry)
            self._progress.show()

    def _plan(self, job: Job) -> None:
        task = Task(job, self._fingerprint_of[job], self._limit)
        # Icarus builds in a second, a suite not at all.
        if job.simulator != "verilator":
            self._ready.append(task)
            return
        point = job.build_point
        if point not in self._waiting:
            self._builds.append(Task(point, task.fingerprint, only_build=True))
        self._waiting[point].append(task)

    def _next(self) -> Task | None:
        # Builds first: they are few and long, and most jobs wait for one.
        if self._builds:
            return self._builds.popleft()
        return self._ready.popleft() if self._ready else None

    def _entry(self, task: Task, why_lost: str) -> Entry | None:
        """The verdict on a task that has ended; None where it is tried once more."""
        if not why_lost:
            entry = self._ledger.read(task.job)
            if entry is not None and entry != self._before[task.job]:
                return entry
            why_lost = "it left no verdict"
        self._tries[task] += 1
        if self._tries[task] < TRIES:
            self._progress.say(f"{task.job.name} is tried once more: {why_lost}")
            self._ready.appendleft(task)
            return None
        problem = Problem(Word.LOST, f"lost {TRIES} times: {why_lost}")
        verdict = Verdict((problem,))
        entry = Entry(task.job, task.fingerprint, verdict, time.time(), 0.0)
        self._ledger.write(entry)
        return entry
