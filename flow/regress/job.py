"""A job: what it runs, as a value that any worker can carry out and that has a name of its own."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from flow.benches import BENCHES
from flow.settings import Settings

SUITE = "pytest"  # the bench of a job that runs one file of tests, its theme
PYTHON = "python"  # the simulator of such a job


@dataclass(frozen=True)
class Job:
    """One job of a regression. What comes of it depends on these values and on the sources alone.

    `parameters` holds all of the bench's, as pairs; `idle` and `backpressure` are percentages;
    `netlist` runs what synthesis makes of the design.
    """

    bench: str
    theme: str
    simulator: str
    parameters: tuple[tuple[str, int], ...] = ()
    seed: int = 0
    ops: int = 0
    idle: int = 0
    backpressure: int = 0
    tests: tuple[str, ...] = ()
    netlist: bool = False

    @property
    def name(self) -> str:
        """A name that no other job of a regression has, fit for a file."""
        if self.bench == SUITE:
            return f"{SUITE}-{self.theme}"
        parts = [self.bench, self.theme, self.simulator, *self.design.split(), f"seed{self.seed}"]
        return "-".join(parts)

    @property
    def design(self) -> str:
        """The parameters in a few words, as `ub16384 banks8 window1 stride32`."""
        return " ".join(
            f"{name.partition('_')[0].lower()}{value}" for name, value in self.parameters
        )

    @property
    def build_point(self) -> "Job":
        """What all jobs that share a build have in common."""
        return Job(self.bench, "", self.simulator, self.parameters)

    def settings(self, limit: float = 0.0) -> Settings:
        """What `flow.run` is to do, with a limit of wall time in seconds, or the default one."""
        return Settings(
            bench=BENCHES[self.bench],
            simulator=self.simulator,
            parameters=dict(self.parameters),
            seed=self.seed,
            ops=self.ops,
            idle=self.idle,
            backpressure=self.backpressure,
            tests=self.tests,
            limit=limit,
            netlist=self.netlist,
            # Icarus counts nothing.
            coverage=self.simulator == "verilator",
        )

    def to_json(self) -> dict[str, Any]:
        """The job as JSON has it."""
        return asdict(self) | {"parameters": dict(self.parameters), "tests": list(self.tests)}

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> "Job":
        """The job that `to_json` gave."""
        parameters, tests = tuple(values["parameters"].items()), tuple(values["tests"])
        return Job(**{**values, "parameters": parameters, "tests": tests})


def job_parameters(bench: str, given: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """All parameters of a bench, given or default, in the order of its table."""
    return tuple(BENCHES[bench].with_defaults(given).items())
