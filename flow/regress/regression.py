"""`make regress`: what is still to be run, who runs it, and what to say of all of it."""

import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import NoReturn

from flow import tools
from flow.errors import UserError
from flow.locks import locked_or_not
from flow.regress.job import Job
from flow.regress.ledger import REGRESS, RUNS, Entry, Ledger
from flow.regress.local import local_workers
from flow.regress.matrix import jobs as planned_jobs
from flow.regress.progress import Counts, Progress
from flow.regress.request import LOCAL, Request
from flow.regress.schedule import Schedule, Workers, fingerprints, in_order
from flow.tools import Simulator


@dataclass(frozen=True)
class Outcome:
    """All jobs that were asked for have a verdict; `left_out` are simulators that are not here."""

    request: Request
    entries: tuple[Entry, ...]
    left_out: tuple[str, ...]
    seconds: float

    @property
    def whole(self) -> bool:
        """Whether nothing was left out, so that a rule without a proof is really without one."""
        return self.request.whole and not self.left_out


def regress(request: Request, say: Callable[[str], None]) -> Outcome:
    """Give every job a verdict on the present sources, and keep those that are there.

    Raises:
        UserError: there is no worker, no simulator, or another regression in this clone.
        KeyboardInterrupt: the user has ended it; `make regress` goes on from there.
    """
    ledger = Ledger()
    with _alone(), _terminable():
        jobs, left_out = _possible(request, say)
        fingerprint_of = fingerprints(jobs)
        before = {job: ledger.read(job) for job in jobs}
        kept = {
            job: entry
            for job, entry in before.items()
            if entry and entry.stands and entry.fingerprint == fingerprint_of[job]
        }
        _tidy(entry.folder for entry in before.values() if entry)
        to_run = in_order([job for job in jobs if job not in kept], before)
        progress = Progress(Counts(len(jobs), kept=len(kept)))
        entries = dict(kept)
        if to_run:
            _carry_out(request, to_run, fingerprint_of, ledger, progress, entries)
        progress.last()
        return Outcome(request, tuple(entries[job] for job in jobs), left_out, progress.seconds)


def _carry_out(
    request: Request,
    jobs: Sequence[Job],
    fingerprint_of: dict[Job, str],
    ledger: Ledger,
    progress: Progress,
    entries: dict[Job, Entry],
) -> None:
    def on_entry(entry: Entry) -> None:
        entries[entry.job] = entry
        counts = progress.counts
        counts.checked += entry.commands_checked
        counts.busy_seconds += entry.seconds
        if entry.passed:
            counts.passed += 1
            return
        counts.failed += 1
        problem = entry.verdict.problems[0]
        progress.say(f"{problem.word}: {entry.job.name}: {problem.text.splitlines()[0]}")

    try:
        with _workers(request) as workers:
            progress.say(f"{len(jobs)} jobs to run on {workers.title}")
            schedule = Schedule(jobs, fingerprint_of, ledger, workers, progress, request.limit)
            schedule.run(on_entry)
    except KeyboardInterrupt:
        progress.last()
        progress.say(f"interrupted; to go on: {request.command}")
        raise


def _workers(request: Request) -> AbstractContextManager[Workers]:
    if request.engine == LOCAL:
        return local_workers(request.slots)
    # Only here: dask takes a second to import.
    from flow.regress.cluster import cluster_workers

    return cluster_workers(request.engine, request.slots)


def _possible(request: Request, say: Callable[[str], None]) -> tuple[list[Job], tuple[str, ...]]:
    """The jobs whose simulator is here, and the simulators that are not."""
    if request.simulator:
        tools.require(request.simulator)
    jobs = planned_jobs(request.seeds, request.bench, request.simulator)
    missing = []
    for found in tools.available().values():
        if not isinstance(found, Simulator) and any(job.simulator == found.name for job in jobs):
            say(found.advice)
            missing.append(found.name)
    possible = [job for job in jobs if job.simulator not in missing]
    if not possible:
        raise UserError(
            "there is no such job, or its simulator is not here: make list, make doctor"
        )
    return possible, tuple(missing)


def _tidy(kept: Iterator[str]) -> None:
    """Remove what jobs have left that were killed, or that have run again since."""
    named = set(kept)
    for folder in RUNS.resolve().iterdir():
        if str(folder) not in named:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _alone() -> Iterator[None]:
    with locked_or_not(REGRESS / "running") as alone:
        if not alone:
            raise UserError("another regression is running in this clone: wait for its end")
        yield


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end a regression as Ctrl-C does."""

    def leave(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
