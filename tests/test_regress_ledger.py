"""A regression that is killed, extended or changed runs what is still to be run, and nothing else."""

import os
import signal
import time
from pathlib import Path

import pytest
from clone import Clone
from regress_clone import (
    make_stand_in,
    processes_of,
    stand_in_row,
    start,
    use_matrix,
    verdicts,
    wait_until,
    words,
)

# Of the stand-in: about two seconds on Icarus.
LONG = 4000


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A stand-in whose regression is one job of a second or two for each seed."""
    return make_stand_in(tmp_path / "clone", LONG)


def started(clone: Clone) -> dict[str, float]:
    """When each job with a verdict was started."""
    return {name: verdict["started"] for name, verdict in verdicts(clone).items()}


@pytest.mark.proves("RN-27")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_regression_that_is_ended_goes_on_where_it_was(
    clone: Clone, tmp_path: Path, number: signal.Signals
) -> None:
    log = tmp_path / "log"
    process = start(clone, "SEEDS=4", "JOBS=2", log=log)
    wait_until(lambda: len(verdicts(clone)) >= 1)
    os.kill(process.pid, number)
    status = process.wait(timeout=20)
    if number != signal.SIGKILL:
        assert status == 130
        assert "interrupted; to go on: make regress SEEDS=4 JOBS=2" in log.read_text()
        assert "Traceback" not in log.read_text()
    wait_until(lambda: not processes_of(clone), 20)
    before = started(clone)
    assert len(before) < 4
    result = clone.flow("regress", "SEEDS=4", "JOBS=2")
    assert result.returncode == 0, result.stdout + result.stderr
    after = started(clone)
    assert len(after) == 4
    assert before.items() <= after.items()
    assert f"{len(before)} from before" in result.stderr
    assert not list((clone.path / "build" / "regress" / "runs").iterdir())


@pytest.mark.proves("RN-27")
def test_more_seeds_are_added_and_a_changed_source_makes_stale(clone: Clone) -> None:
    use_matrix(clone, [stand_in_row("random")])
    assert clone.flow("regress", "SEEDS=1").returncode == 0
    first = started(clone)
    result = clone.flow("regress", "SEEDS=2")
    assert "1 jobs to run" in result.stderr and "1 from before" in result.stderr
    assert first.items() <= started(clone).items()
    # A new date is no change; a page of the flow itself is nothing that a job depends on.
    os.utime(clone.path / "rtl" / "ub_load_unit.v")
    (clone.path / "flow" / "report.py").open("a").write("\n")
    assert "jobs to run" not in clone.flow("regress", "SEEDS=2").stderr
    for file in ("rtl/ub_load_unit.v", "tb/bench_ub_load_unit.py", "model/golden.py"):
        (clone.path / file).open("a").write("\n")
        changed = "2 jobs to run" in clone.flow("regress", "SEEDS=2").stderr
        # The tests of the stand-in do not use the model.
        assert changed == (file != "model/golden.py"), file


@pytest.mark.proves("RN-27")
def test_what_had_failed_runs_first_and_a_failure_stands(clone: Clone) -> None:
    rows = [stand_in_row("good"), stand_in_row("bad", test="mismatches")]
    use_matrix(clone, rows)
    assert clone.flow("regress", "SEEDS=1", "JOBS=1").returncode == 1
    assert words(clone) == {"good": "passed", "bad": "failed"}
    result = clone.flow("regress", "SEEDS=1", "JOBS=1")
    assert result.returncode == 1 and "jobs to run" not in result.stderr
    assert "MISMATCH command 3" in result.stdout
    (clone.path / "rtl" / "ub_load_unit.v").open("a").write("\n")
    clone.flow("regress", "SEEDS=1", "JOBS=1")
    good, bad = (
        verdicts(clone)[f"ub_load_unit-{theme}-icarus-{_design(clone)}-seed1"]
        for theme in ("good", "bad")
    )
    assert bad["started"] < good["started"]


def _design(clone: Clone) -> str:
    (name, *_) = verdicts(clone)
    return name.partition("-icarus-")[2].rpartition("-")[0]


@pytest.mark.proves("RN-28")
def test_each_way_to_fail_has_a_word_of_its_own(clone: Clone) -> None:
    tests = {
        "random_commands": "passed",
        "mismatches": "failed",
        "leaves_commands_unchecked": "unchecked",
        "leaves_responses": "unchecked",
        "leaves_no_record": "unchecked",
        "checks_nothing": "unchecked",
        "is_killed": "crashed",
        "exits": "crashed",
        "hangs": "timeout",
        "no_such_test": "unknown test",
    }
    use_matrix(clone, [stand_in_row(test, test=test) for test in tests])
    result = clone.flow("regress", "SEEDS=1", "JOBS=2", "LIMIT=5")
    assert result.returncode == 1
    assert words(clone) == tests
    last = result.stdout.splitlines()[-1]
    assert last.startswith(f"FAIL: 1 of {len(tests)} jobs passed")
    # What may be the machine's fault is tried again, what a check has said stands.
    use_matrix(clone, [stand_in_row(test, test=test) for test in ("mismatches", "is_killed")])
    assert "1 jobs to run" in clone.flow("regress", "SEEDS=1").stderr


@pytest.mark.proves("RN-28")
def test_a_build_that_fails_is_a_failure(clone: Clone) -> None:
    (clone.path / "rtl" / "ub_load_unit.v").open("a").write("module")
    result = clone.flow("regress", "SEEDS=1")
    assert result.returncode == 1
    assert words(clone) == {"random": "no build"}
    assert "syntax error" in result.stdout


@pytest.mark.proves("RN-28")
def test_a_source_that_changes_under_a_job_makes_it_stale(clone: Clone, tmp_path: Path) -> None:
    process = start(clone, "SEEDS=1", log=tmp_path / "log")
    runs = clone.path / "build" / "regress" / "runs"
    wait_until(lambda: any(runs.glob("*/sim.log")))
    (clone.path / "tb" / "bench_ub_load_unit.py").open("a").write("\n")
    assert process.wait(timeout=60) == 1
    assert words(clone) == {"random": "stale"}
    assert clone.flow("regress", "SEEDS=1").returncode == 0


@pytest.mark.proves("RN-29")
def test_a_job_whose_worker_is_killed_is_tried_once_more(clone: Clone, tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start(clone, "SEEDS=2", "JOBS=1", log=log)
    runs = clone.path / "build" / "regress" / "runs"
    wait_until(lambda: any(runs.glob("*seed1-*/sim.log")))
    os.kill(_worker(process.pid), signal.SIGKILL)
    assert process.wait(timeout=60) == 0, log.read_text()
    assert "seed1 is tried once more: the worker ended with status -9" in log.read_text()
    assert set(words(clone).values()) == {"passed"} and len(verdicts(clone)) == 2


@pytest.mark.proves("RN-29")
def test_a_job_that_kills_its_worker_is_lost_and_the_others_are_not(clone: Clone) -> None:
    rows = [stand_in_row("bad", test="kills_its_worker"), stand_in_row("good")]
    use_matrix(clone, rows)
    result = clone.flow("regress", "SEEDS=1", "JOBS=1")
    assert result.returncode == 1
    assert words(clone) == {"good": "passed", "bad": "lost"}


@pytest.mark.proves("RN-27")
def test_two_regressions_in_one_clone_do_not_meet(clone: Clone, tmp_path: Path) -> None:
    process = start(clone, "SEEDS=2", log=tmp_path / "log")
    wait_until(lambda: any((clone.path / "build" / "regress" / "runs").glob("*")))
    result = clone.flow("regress", "SEEDS=1")
    assert result.returncode == 2 and "another regression is running" in result.stderr
    assert process.wait(timeout=60) == 0


def _worker(parent: int) -> int:
    """The process of the one worker that is running."""
    for _ in range(100):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                status = (process / "status").read_text()
                command = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if f"PPid:\t{parent}\n" in status and b"flow.regress.worker" in command:
                return int(process.name)
        time.sleep(0.05)
    raise AssertionError("no worker is running")
