"""What the runner asks of a bench, read from the environment once."""

import json
import os
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, slots=True)
class BenchConfig:
    """One run of a bench.

    `seed` and nothing else decides the stimulus; `ops` is how many commands a random test sends;
    `idle` and `backpressure` are percentages of cycles; `parameters` are those of the design.
    `cases` are the folders that a test of cases plays, `failed_case` is what a record of a test that
    failed has kept. With `keep_driven` each test of the unit leaves a case of what it has driven.
    """

    seed: int
    ops: int
    idle: int
    backpressure: int
    parameters: dict[str, int]
    simulator: str
    waves: bool = False
    cases: tuple[str, ...] = ()
    failed_case: dict[str, object] = field(default_factory=dict)
    keep_driven: bool = False

    @property
    def four_state(self) -> bool:
        """Whether the simulator tells X from 0 and 1."""
        return self.simulator != "verilator"

    def rng(self, purpose: str) -> np.random.Generator:
        """A generator of its own for each purpose, so that one does not disturb another's draw.

        The purpose is part of the seed by its bytes: Python's own hash changes between processes.
        """
        return np.random.default_rng([self.seed, *purpose.encode()])


def read_config() -> BenchConfig:
    """The configuration in the environment variable UBLOAD_CONFIG, a JSON object."""
    return BenchConfig(**json.loads(os.environ["UBLOAD_CONFIG"]))
