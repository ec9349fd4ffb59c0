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
"""Mutants of one module that is sampled, where not all are asked for."""


@dataclass(frozen=True)
class Scope:
    """Where a mutant is compared with the design: in `module`, the modules `cut` left out of it.

    What is left out may put out anything, and what goes into it counts as an output. Where the module
    is `in_use` it is known what the unit keeps to at it (flow.mutate.contract).
    """

    module: str
    cut: tuple[str, ...] = ()
    in_use: bool = False

    @property
    def name(self) -> str:
        """In words."""
        if self.in_use:
            return f"{self.module} in use"
        return f"{self.module} without {', '.join(self.cut)}" if self.cut else self.module


@dataclass(frozen=True)
class Target:
    """A module whose mutants are planted into all of its instances in a unit with `parameters`.

    What cannot be proven in the module alone may be in one of `beyond`. `sampled` are those of which
    no more than MOST are taken: data paths and wide multiplexers.
    """

    module: str
    beyond: tuple[Scope, ...] = ()
    parameters: Mapping[str, int] = field(default_factory=lambda: SMALL)
    sampled: bool = False

    @property
    def name(self) -> str:
        """The module."""
        return self.module

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Where its mutants are compared with the design, one after the other; never in all of it."""
        return self.beyond if self.module == TOP else (Scope(self.module), *self.beyond)


_ADDRESSES = ("gatherb_agu", "loadalign_agu", "address_check")
_FRONT = Scope(TOP, ("block_xbar", "fill_port", "response_queue"))
_BACK = Scope(TOP, (*_ADDRESSES, "bank_group"))
_BANKS = Scope("bank_group")

TARGETS = (
    Target("gatherb_agu", (_FRONT,)),
    Target("loadalign_agu", (_FRONT,)),
    Target("address_check", (_FRONT,)),
    Target(TOP, (_FRONT, _BACK), sampled=True),
    Target("fill_port", (_BACK,)),
    Target("response_queue", (Scope("response_queue", in_use=True), _BACK), sampled=True),
    Target("block_xbar", (_BACK,)),
    Target("bank_group", (Scope("block_xbar"),)),
    Target("lane_queue", (Scope("lane_queue", in_use=True),)),
    Target("age_order", (_BANKS,)),
    Target("lane_compare", (_BANKS,)),
    Target("lane_arbiter", (_BANKS,)),
    Target("pair_queue", (_BANKS,), LOCK_STEP),
    Target("bank_memory", (_BANKS,), sampled=True),
    Target("lane_collector", (_BANKS,), sampled=True),
)
