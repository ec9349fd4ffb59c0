"""What is mutated: the modules, the unit that they are played in, and how many of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field

TOP = "ub_load_unit"
DATA_W = 8
"""Bits of a DataBlock that are kept: the crossbar treats all 256 alike."""

SELECT = "mutant"  # the input by which one mutant is switched on
SELECT_W = 16

SMALL = {"UB_BYTES": 2048, "BANKS": 4, "WINDOW": 2, "STRIDE_W": 32}
LOCK_STEP = {**SMALL, "WINDOW": 1}
"""Small, but with all that a large unit has: two groups of banks, or a pair_queue."""


MOST = 2000
"""Mutants of one module, where not all are asked for."""


@dataclass(frozen=True)
class Target:
    """A module whose mutants are planted into all of its instances in a unit with `parameters`."""

    module: str
    parameters: Mapping[str, int] = field(default_factory=lambda: SMALL)

    @property
    def name(self) -> str:
        """The module."""
        return self.module


TARGETS = (
    Target("gatherb_agu"),
    Target("loadalign_agu"),
    Target("address_check"),
    Target("ub_load_unit"),
    Target("fill_port"),
    Target("response_queue"),
    Target("block_xbar"),
    Target("bank_group"),
    Target("lane_queue"),
    Target("age_order"),
    Target("lane_compare"),
    Target("lane_arbiter"),
    Target("pair_queue", LOCK_STEP),
    Target("bank_memory"),
    Target("lane_collector"),
)
