"""Which jobs there are, what each depends on, and in which order they run."""

from collections import deque

import pytest

from flow.benches import BENCHES
from flow.places import ROOT
from flow.regress.job import SUITE, Job
from flow.regress.ledger import Entry
from flow.regress.matrix import MATRIX, jobs
from flow.regress.progress import Counts, Progress
from flow.regress.schedule import Schedule, in_order
from flow.regress.sources import job_sources
from flow.regress.worker import Task
from flow.run import ALL_TESTS
from flow.run import test_names as names_of
from flow.verdict import Problem, Verdict, Word


def entry(job: Job, word: Word = Word.PASSED) -> Entry:
    """A verdict on a job."""
    problems = () if word is Word.PASSED else (Problem(word, "why"),)
    return Entry(job, "sources", Verdict(problems, ok=("a",)), started=1.0, seconds=1.0)


@pytest.mark.proves("RN-27")
def test_more_seeds_keep_the_jobs_of_fewer() -> None:
    few, more = jobs(3), jobs(5)
    assert set(few) < set(more) and len(set(more)) == len(more)
    assert len({job.name for job in more}) == len(more)
    assert all(Job.from_json(job.to_json()) == job for job in more)
    assert len(jobs(20)) >= 200


@pytest.mark.proves("RN-33")
@pytest.mark.parametrize("bench", sorted({row.bench for row in MATRIX}))
def test_every_test_of_a_bench_is_in_the_table(bench: str) -> None:
    """Only the player has others: those that a failure calls for."""
    named = {test for row in MATRIX if row.bench == bench for test in row.tests or (ALL_TESTS,)}
    if bench != "player" and ALL_TESTS not in named:
        assert named == set(names_of(BENCHES[bench]))


@pytest.mark.proves("RN-27")
def test_a_job_depends_on_its_own_sources_alone() -> None:
    by_bench = {job.bench: job for job in jobs(1)}
    names = {
        bench: {str(path.relative_to(ROOT)) for path in job_sources(job)}
        for bench, job in by_bench.items()
    }
    assert {name for name in names["address_check"] if name.endswith(".v")} == {
        "rtl/address_check.v"
    }
    all_verilog = {f"rtl/{path.name}" for path in (ROOT / "rtl").glob("*.v")}
    for bench in ("ub_load_unit", "player", SUITE):
        assert all_verilog <= names[bench]
    assert "tb/hdl/player.v" in names["player"] - names["ub_load_unit"]
    assert "tb/load_unit/resets.py" in names["ub_load_unit"] - names["block_xbar"]
    assert "model/golden.py" in names["gatherb_agu"]
    assert "flow/run.py" in names["gatherb_agu"] and "flow/cli.py" not in names["gatherb_agu"]


def test_what_had_failed_is_first() -> None:
    a, b, c = jobs(1)[-3:]
    assert in_order([a, b, c], {a: None, b: entry(b), c: entry(c, Word.FAILED)}) == [c, a, b]


class FakeLedger:
    """A ledger in memory."""

    def __init__(self) -> None:
        self.entries: dict[Job, Entry] = {}

    def read(self, job: Job) -> Entry | None:
        return self.entries.get(job)

    def write(self, entry: Entry) -> None:
        self.entries[entry.job] = entry


class FakeWorkers:
    """Carries out one task after another; a job in `deaths` loses its worker so many times."""

    title = "fakes"

    def __init__(self, ledger: FakeLedger, slots: int, deaths: dict[Job, int]) -> None:
        self._ledger, self._slots, self._deaths = ledger, slots, deaths
        self._running: deque[Task] = deque()
        self.started: list[Task] = []
        self.most = 0

    def slots(self) -> int:
        return self._slots

    def start(self, task: Task) -> None:
        self.started.append(task)
        self._running.append(task)
        self.most = max(self.most, len(self._running))

    def ended(self, seconds: float) -> list[tuple[Task, str]]:
        task = self._running.popleft()
        if self._deaths.get(task.job, 0):
            self._deaths[task.job] -= 1
            return [(task, "it died")]
        if not task.only_build:
            self._ledger.write(entry(task.job))
        return [(task, "")]


def carried_out(
    to_run: list[Job], slots: int = 2, deaths: dict[Job, int] | None = None
) -> tuple[FakeWorkers, dict[Job, Entry]]:
    """What workers have started, and the verdicts."""
    ledger = FakeLedger()
    workers = FakeWorkers(ledger, slots, deaths or {})
    progress = Progress(Counts(len(to_run)))
    fingerprints = dict.fromkeys(to_run, "sources")
    found: dict[Job, Entry] = {}
    schedule = Schedule(to_run, fingerprints, ledger, workers, progress, limit=0)
    schedule.run(lambda entry: found.update({entry.job: entry}))
    return workers, found


def test_each_build_is_made_once_and_before_what_needs_it() -> None:
    to_run = jobs(3, bench="gatherb_agu")
    workers, found = carried_out(to_run)
    assert set(found) == set(to_run) and workers.most == 2
    builds = [task.job for task in workers.started if task.only_build]
    assert len(builds) == 1 and builds[0].simulator == "verilator"
    order = [task.only_build for task in workers.started if task.job.simulator == "verilator"]
    assert order == [True, False, False, False]


@pytest.mark.proves("RN-29")
def test_a_lost_job_is_tried_twice() -> None:
    once, twice, never = jobs(3, bench="gatherb_agu", simulator="icarus")
    _, found = carried_out([once, twice, never], deaths={once: 1, twice: 2})
    assert {job: each.verdict.word for job, each in found.items()} == {
        once: Word.PASSED,
        twice: Word.LOST,
        never: Word.PASSED,
    }
