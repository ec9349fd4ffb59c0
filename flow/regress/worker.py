"""Carries out one job, wherever it is told to: `python -m flow.regress.worker TASK.json`.

Its verdict goes into the ledger as the last thing it does. A worker that is killed has changed
nothing there.
"""

import json
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flow import tools
from flow.build import build
from flow.errors import UserError
from flow.places import ROOT
from flow.process import Ended, end_with_parent
from flow.process import run as run_program
from flow.regress.code_coverage import read_coverage
from flow.regress.job import SUITE, Job
from flow.regress.ledger import RUNS, Entry, Ledger
from flow.regress.sources import fingerprint
from flow.regress.traces import differing_tests
from flow.run import Run, UnknownTest, run
from flow.verdict import Problem, Verdict, Word

SUITE_LIMIT_SECONDS = 1800


@dataclass(frozen=True)
class Task:
    """A job on sources with this `fingerprint`, or only its build. `limit` is in seconds, 0 the default."""

    job: Job
    fingerprint: str
    limit: float = 0.0
    only_build: bool = False

    def to_json(self) -> str:
        """The task as text."""
        return json.dumps(
            {
                "job": self.job.to_json(),
                "fingerprint": self.fingerprint,
                "limit": self.limit,
                "only_build": self.only_build,
            }
        )

    @staticmethod
    def from_json(text: str) -> "Task":
        """The task that `to_json` gave."""
        values = json.loads(text)
        return Task(**{**values, "job": Job.from_json(values["job"])})


def carry_out(text: str) -> None:
    """Carry out the task that `text` describes; a job's verdict is then in the ledger."""
    task = Task.from_json(text)
    if task.only_build:
        _build(task.job)
        return
    started = time.time()
    entry = _run_suite(task) if task.job.bench == SUITE else _run_bench(task)
    seconds = time.time() - started
    if fingerprint(task.job) != task.fingerprint:
        problem = Problem(Word.STALE, "a source changed while the job ran")
        entry = replace(entry, verdict=_not_passed(entry.verdict, problem))
    if entry.passed:
        shutil.rmtree(entry.folder, ignore_errors=True)
        entry = replace(entry, folder="")
    worker = os.environ.get("SLURM_JOB_ID") or str(os.getpid())
    worker = f"{socket.gethostname()} {worker}"
    Ledger().write(replace(entry, started=started, seconds=seconds, worker=worker))


def _build(job: Job) -> None:
    """Make the build that a job needs. That it fails is for the job to say."""
    settings = job.settings()
    try:
        simulator = tools.require(settings.simulator)
        build(settings.bench, simulator, settings.parameters, coverage=settings.coverage)
    except UserError:
        return


def _run_bench(task: Task) -> Entry:
    folder = _new_folder(task.job)
    try:
        finished = run(task.job.settings(task.limit), folder=folder)
        verdict = _confirmed(finished)
    except UserError as error:
        word = Word.UNKNOWN_TEST if isinstance(error, UnknownTest) else Word.NO_BUILD
        verdict = Verdict((Problem(word, str(error)),))
        return Entry(task.job, task.fingerprint, verdict, 0, 0, folder=str(folder))
    entry = Entry(
        task.job,
        task.fingerprint,
        verdict,
        0,
        0,
        build_seconds=finished.build_seconds,
        tool=finished.simulator.title,
        folder=str(folder),
    )
    if verdict.passed and not entry.commands_checked:
        problem = Problem(Word.UNCHECKED, "not one command was checked")
        return replace(entry, verdict=_not_passed(verdict, problem))
    if finished.coverage:
        try:
            entry = replace(entry, coverage=read_coverage(finished.coverage))
        except ValueError as error:
            problem = Problem(Word.DAMAGED, f"{finished.coverage} cannot be read: {error}")
            entry = replace(entry, verdict=_not_passed(verdict, problem))
    return entry


def _confirmed(finished: Run) -> Verdict:
    """The verdict on a run; on Verilator it must pass with the same traces from other values too.

    Icarus starts with X, which shows by itself whether a register should have been reset.
    """
    verdict = finished.verdict
    if not verdict.passed or finished.simulator.name != "verilator":
        return verdict
    folder = finished.folder / "other_values"
    folder.mkdir()
    again = run(replace(finished.settings, initial=1), folder=folder)
    if not again.verdict.passed:
        return replace(again.verdict, problems=tuple(map(_with_initial, again.verdict.problems)))
    names = differing_tests(verdict.record["tests"], again.record["tests"])
    if not names:
        return verdict
    text = f"{', '.join(names)}: INITIAL=0 and INITIAL=1 give different traces"
    return _not_passed(verdict, Problem(Word.DIFFERS, f"{text}; logs: {finished.log}, {again.log}"))


def _with_initial(problem: Problem) -> Problem:
    return Problem(problem.word, f"with INITIAL=1, and not with INITIAL=0: {problem.text}")


def _run_suite(task: Task) -> Entry:
    """A file of tests that need no simulation: each test is `passed`, `failed` or `skipped`."""
    folder = _new_folder(task.job)
    log, outcomes = folder / "pytest.log", folder / "outcomes.json"
    limit = task.limit or SUITE_LIMIT_SECONDS
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "-q", "--basetemp", str(folder / "tmp")]
    ended = run_program(
        [sys.executable, "-m", "pytest", *options, f"tests/{task.job.theme}.py"],
        environment=tools.environment(UBLOAD_OUTCOMES=str(outcomes), PYTHONDONTWRITEBYTECODE="1"),
        folder=ROOT,
        log=log,
        limit=limit,
    )
    verdict = _judge_suite(ended, limit, outcomes, log)
    title = f"Python {sys.version.split()[0]}"
    return Entry(task.job, task.fingerprint, verdict, 0, 0, tool=title, folder=str(folder))


def _judge_suite(ended: Ended, limit: float, outcomes: Path, log: Path) -> Verdict:
    if ended.timed_out:
        return Verdict((Problem(Word.TIMEOUT, f"timeout: killed after {limit:g} s; log: {log}"),))
    if not outcomes.exists():
        return Verdict((Problem(Word.CRASHED, f"pytest left no outcomes; log: {log}"),))
    tests: Mapping[str, Any] = json.loads(outcomes.read_text(encoding="utf-8"))
    by_outcome = {
        wanted: tuple(name for name, test in tests.items() if test["outcome"] == wanted)
        for wanted in ("passed", "failed", "skipped")
    }
    problems = [
        Problem(Word.FAILED, f"{name}: failed; log: {log}") for name in by_outcome["failed"]
    ]
    if not problems and ended.status != 0:
        problems.append(Problem(Word.CRASHED, f"pytest ended with {ended.status}; log: {log}"))
    if not by_outcome["passed"] and not problems:
        problems.append(Problem(Word.NO_TEST, f"no test passed; log: {log}"))
    return Verdict(
        tuple(problems),
        by_outcome["passed"],
        by_outcome["failed"],
        by_outcome["skipped"],
        {"tests": tests},
    )


def _not_passed(verdict: Verdict, problem: Problem) -> Verdict:
    return replace(verdict, problems=(problem, *verdict.problems))


def _new_folder(job: Job) -> Path:
    """A folder of this attempt alone: what a killed one has left behind is not in the way."""
    RUNS.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"{job.name}-", dir=RUNS.resolve()))


if __name__ == "__main__":
    end_with_parent()
    carry_out(Path(sys.argv[1]).read_text(encoding="utf-8"))
