"""Workers of a cluster, through dask: jobs of Slurm, LSF, PBS or SGE, or a scheduler that is there.

All machines of the cluster see the clone under the same path. What a site needs beside (queue,
account, memory, network interface) is said in dask's own configuration, `jobqueue.yaml` or
`DASK_JOBQUEUE__SLURM__QUEUE=...`.
"""

import logging
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import dask
import dask_jobqueue
from distributed import Client, Future

from flow.errors import UserError
from flow.places import VENV, import_root
from flow.regress.ledger import REGRESS
from flow.regress.request import BATCH_SYSTEMS
from flow.regress.worker import Task, carry_out

CLUSTERS = {
    "slurm": dask_jobqueue.SLURMCluster,
    "lsf": dask_jobqueue.LSFCluster,
    "pbs": dask_jobqueue.PBSCluster,
    "sge": dask_jobqueue.SGECluster,
}
assert set(CLUSTERS) == set(BATCH_SYSTEMS)

# How to ask a batch system what it runs: whether it answers at all.
_QUERIES = {"slurm": "squeue", "lsf": "bjobs", "pbs": "qstat", "sge": "qstat"}
_QUERY_SECONDS = 30

# What a job of the cluster asks for where the site's configuration does not say.
_DEFAULTS = {"cores": 1, "processes": 1, "memory": "2GB", "walltime": "04:00:00"}


class ClusterWorkers:
    """Tasks on whatever workers the scheduler has, one on each of their threads."""

    def __init__(self, client: Client, title: str) -> None:
        self._client = client
        self._running: dict[Future, Task] = {}
        self.title = title

    def slots(self) -> int:
        """How many tasks can run at once: workers come and go."""
        return sum(self._client.nthreads().values())

    def start(self, task: Task) -> None:
        """Start a task; dask gives it to another worker where the first one dies."""
        self._running[self._client.submit(carry_out, task.to_json(), pure=False)] = task

    def ended(self, seconds: float) -> list[tuple[Task, str]]:
        """Tasks that have ended, and why each of them is lost ("" where it is not); waits a while."""
        deadline = time.monotonic() + seconds
        while True:
            done = [future for future in self._running if future.done()]
            if done or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        return [(self._running.pop(future), _why_lost(future)) for future in done]


@contextmanager
def cluster_workers(engine: str, jobs: int) -> Iterator[ClusterWorkers]:
    """Workers of the scheduler at address `engine`, or of `jobs` jobs of the batch system `engine`.

    Raises:
        UserError: there is none.
    """
    # What dask says of workers that come and go is no news to the user: the progress line has it.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        if engine in CLUSTERS:
            _require(engine)
            try:
                cluster = stack.enter_context(_cluster(engine))
                # Lost jobs are made up for.
                cluster.adapt(minimum_jobs=jobs, maximum_jobs=jobs)
                client = stack.enter_context(Client(cluster))
            except (OSError, RuntimeError, ValueError) as error:
                raise UserError(f"ENGINE={engine} is not possible here: {error}") from None
            yield ClusterWorkers(client, f"{jobs} jobs of {engine}")
            return
        try:
            client = stack.enter_context(Client(engine, timeout=10))
        except (OSError, ValueError) as error:
            raise UserError(f"no dask scheduler answers at ENGINE={engine}: {error}") from None
        yield ClusterWorkers(client, f"dask at {engine}")


def _require(engine: str) -> None:
    """Dask waits without end for a batch system that is not there."""
    query = _QUERIES[engine]
    try:
        answer = subprocess.run(
            [query], capture_output=True, text=True, timeout=_QUERY_SECONDS, check=False
        )
    except FileNotFoundError:
        raise UserError(f"ENGINE={engine} is not possible here: no {query} was found") from None
    except subprocess.TimeoutExpired:
        why = f"{query} does not answer"
        raise UserError(f"ENGINE={engine} is not possible here: {why}") from None
    if answer.returncode != 0:
        why = f"{query} says: {answer.stderr.strip()}"
        raise UserError(f"ENGINE={engine} is not possible here: {why}")


def _cluster(engine: str) -> dask_jobqueue.JobQueueCluster:
    configured = {
        name: value
        for name, value in dask.config.get(f"jobqueue.{engine}", {}).items()
        if value is not None
    }
    logs = REGRESS / "cluster"
    logs.mkdir(parents=True, exist_ok=True)
    options = {name: value for name, value in _DEFAULTS.items() if name not in configured}
    # A worker that is lost is made up for at once, not when it might have come back.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1s"})
    return CLUSTERS[engine](
        python=shlex.quote(sys.executable),
        job_script_prologue=[
            f"export PYTHONPATH={shlex.quote(str(import_root()))} PYTHONNOUSERSITE=1",
            f'export PATH="$PATH":{shlex.quote(str(VENV.resolve() / "bin"))}',
        ],
        log_directory=str(logs.resolve()),
        local_directory=str(logs.resolve()),
        scheduler_options={"dashboard": False},
        **options,
    )


def _why_lost(future: Future) -> str:
    if future.cancelled():
        return "it was cancelled"
    error = future.exception()
    return "" if error is None else f"{type(error).__name__}: {error}"
