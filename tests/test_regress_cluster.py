"""The same regression on the workers of a cluster: a real Slurm, and a scheduler that is there."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone
from regress_clone import make_stand_in, start, verdicts, wait_until, words
from slurm_on_loopback import Slurm, missing_commands, slurm_on_loopback

SEEDS = 8


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A stand-in whose regression is one job of a second or two for each seed."""
    return make_stand_in(tmp_path / "clone", ops=3000)


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Slurm]:
    """A Slurm of one node on this machine; left out where it is not installed, but not in CI."""
    if os.geteuid() != 0:
        pytest.skip("Slurm starts the jobs of others, which takes root")
    if missing := missing_commands():
        if os.environ.get("CI"):
            pytest.fail(f"with CI set, Slurm may not be left out: no {', '.join(missing)}")
        pytest.skip(f"no {', '.join(missing)}: install slurm-wlm and munge")
    with slurm_on_loopback(tmp_path / "slurm") as running:
        yield running


@pytest.mark.proves("RN-30")
def test_jobs_of_slurm_give_every_verdict_also_when_one_is_cancelled(
    clone: Clone, slurm: Slurm, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    environment = slurm.environment | {"DASK_JOBQUEUE__SLURM__INTERFACE": "lo"}
    process = start(clone, f"SEEDS={SEEDS}", "ENGINE=slurm", "JOBS=2", log=log, **environment)
    wait_until(lambda: len(verdicts(clone)) >= 2 or process.poll() is not None)
    running = [job for job, state in slurm.jobs() if state == "RUNNING"]
    assert len(running) == 2, log.read_text()
    before = {name: verdict["started"] for name, verdict in verdicts(clone).items()}
    slurm.cancel(running[0])
    assert process.wait(timeout=120) == 0, log.read_text()
    found = verdicts(clone)
    assert len(found) == SEEDS and set(words(clone).values()) == {"passed"}
    # "host job": both jobs have worked, and what was done before the cancelling was not repeated.
    assert len({verdict["worker"] for verdict in found.values()}) >= 2
    assert before.items() <= {name: verdict["started"] for name, verdict in found.items()}.items()
    assert f"PASS: {SEEDS} of {SEEDS} jobs passed" in log.read_text()
    assert "Traceback" not in log.read_text()
    wait_until(lambda: all(state not in ("RUNNING", "PENDING") for _, state in slurm.jobs()), 20)


@pytest.mark.proves("RN-30")
def test_a_scheduler_that_is_there_is_used(clone: Clone, tmp_path: Path) -> None:
    path = f"{clone.path}"
    environment = clone.environment | {
        "PYTHONPATH": path,
        "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error",
    }
    file = tmp_path / "scheduler.json"
    options = ["--scheduler-file", str(file), "--no-dashboard"]
    commands = [
        ["distributed.cli.dask_scheduler", *options, "--host", "127.0.0.1", "--port", "0"],
        ["distributed.cli.dask_worker", *options, "--nthreads", "1", "--no-nanny"],
    ]
    processes = []
    try:
        for module, *words_ in commands:
            log = (tmp_path / f"{module}.log").open("wb")
            command = [sys.executable, "-m", module, *words_]
            processes.append(
                subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
            )
            wait_until(file.exists)
        address = json.loads(file.read_text())["address"]
        result = clone.flow("regress", "SEEDS=2", f"ENGINE={address}")
        assert result.returncode == 0, result.stdout + result.stderr
        assert len(verdicts(clone)) == 2
    finally:
        for process in processes:
            process.terminate()
            process.wait(timeout=20)


@pytest.mark.proves("RN-30")
@pytest.mark.parametrize(
    "engine, says",
    [
        ("sluurm", "did you mean slurm? possible: local, slurm, lsf, pbs, sge, or tcp://host:port"),
        ("tcp://127.0.0.1:1", "no dask scheduler answers at ENGINE=tcp://127.0.0.1:1"),
        ("lsf", "ENGINE=lsf is not possible here: no bjobs was found"),
    ],
)
def test_an_engine_that_is_not_there_is_one_line(clone: Clone, engine: str, says: str) -> None:
    result = clone.flow("regress", "SEEDS=1", f"ENGINE={engine}")
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr
