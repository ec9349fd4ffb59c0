"""What a regression is asked to do."""

from dataclasses import dataclass

LOCAL = "local"
BATCH_SYSTEMS = ("slurm", "lsf", "pbs", "sge")


@dataclass(frozen=True)
class Request:
    """What the user asks for. `slots` is how many tasks run at once; `limit` is in seconds, 0 the default.

    An empty `bench` or `simulator` means all. `engine` is LOCAL, a batch system, or the address of a
    dask scheduler. `command` is the line that asks for it.
    """

    seeds: int
    slots: int
    engine: str = LOCAL
    bench: str = ""
    simulator: str = ""
    limit: float = 0.0
    command: str = "make regress"

    @property
    def whole(self) -> bool:
        """Whether no job is left out."""
        return not self.bench and not self.simulator
