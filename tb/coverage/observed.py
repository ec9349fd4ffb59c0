"""What one test drove into a unit, when it happened, and what follows from it by the model."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from model import CommandBatch, FaultBatch, FaultKind
from model.arrays import check_arrays
from tb.coverage.design import Design
from tb.coverage.lanes import Lanes, lanes_of

NEVER = np.iinfo(np.int64).max
"""In place of a cycle: it did not come before the test ended."""

LATENCY = 5
"""L of section 6 at its most, in cycles."""


@dataclass(frozen=True, eq=False)
class Observed:
    """n accepted commands, m accepted fills and c cycles of one test.

    Cycles count from the first one without reset. `accepted` int64 (n,), increasing, are those of
    acceptance, `answered` int64 (n,) those of the responses' transfers, -1 where a reset dropped
    it. `fill_address` uint32 (m,) are the byte addresses of the fills and `filled` int64 (m,),
    increasing, the cycles of their acceptance. `ready` and `resets`, bool (c,), are the levels of
    `rsp_ready` and `rst` in each cycle up to the last transfer, or longer. Raises ValueError,
    naming the field, for another shape or type.
    """

    design: Design
    commands: CommandBatch
    accepted: NDArray[np.int64]
    answered: NDArray[np.int64]
    fill_address: NDArray[np.uint32]
    filled: NDArray[np.int64]
    ready: NDArray[np.bool_]
    resets: NDArray[np.bool_]

    def __post_init__(self) -> None:
        expected = [
            ("accepted", np.int64, (len(self.commands),)),
            ("answered", np.int64, (len(self.commands),)),
            ("fill_address", np.uint32, (len(self.fill_address),)),
            ("filled", np.int64, (len(self.fill_address),)),
            ("ready", np.bool_, (len(self.ready),)),
            ("resets", np.bool_, (len(self.ready),)),
        ]
        check_arrays(self, expected)

    @staticmethod
    def of_transfers(
        design: Design,
        commands: CommandBatch,
        accepted: NDArray[np.int64],
        responses: NDArray[np.int64],
        fill_address: NDArray[np.uint32],
        filled: NDArray[np.int64],
        *,
        ready: NDArray[np.bool_],
        resets: NDArray[np.bool_],
    ) -> "Observed":
        """The same from the cycles of the `responses`, int64 (r,), in order.

        Between two resets they belong to the commands in the order of acceptance.
        """
        begins = np.flatnonzero(np.diff(resets.astype(np.int8), prepend=0) > 0)
        answered = np.full(len(commands), -1, np.int64)
        for first, end in zip([0, *begins], [*begins, NEVER], strict=True):
            numbers = np.flatnonzero((accepted >= first) & (accepted < end))
            own = responses[(responses >= first) & (responses < end)]
            answered[numbers[: len(own)]] = own
        return Observed(design, commands, accepted, answered, fill_address, filled, ready, resets)

    @cached_property
    def lanes(self) -> Lanes:
        """What the lanes of each command want."""
        return lanes_of(self.commands, self.design)

    @property
    def faults(self) -> FaultBatch:
        """The fault of each command (section 4)."""
        return self.lanes.faults

    @cached_property
    def good(self) -> NDArray[np.bool_]:
        """Whether each command has no fault: bool (n,)."""
        return self.faults.kind == FaultKind.NONE

    @property
    def degree(self) -> NDArray[np.uint8]:
        """D of each command: uint8 (n,) (section 6)."""
        return self.lanes.degree

    @cached_property
    def due(self) -> NDArray[np.int64]:
        """The cycle in which an idle unit has each response ready: int64 (n,) (section 6)."""
        return self.accepted + LATENCY - 1 + np.maximum(1, self.degree)

    @cached_property
    def reset_begins(self) -> NDArray[np.int64]:
        """The first cycle of each reset: int64 (r,)."""
        return np.flatnonzero(self.resets & ~np.append(False, self.resets[:-1]))

    @cached_property
    def left(self) -> NDArray[np.int64]:
        """The last cycle in which each command is in flight: int64 (n,), never decreasing.

        That of its response's transfer, or the first one of the reset that dropped it.
        """
        begins = np.append(self.reset_begins, NEVER)
        dropped = begins[np.searchsorted(self.reset_begins, self.accepted)]
        return np.where(self.answered < 0, dropped, self.answered)

    @cached_property
    def accepted_before(self) -> NDArray[np.int64]:
        """By cycle, the commands accepted before it: int64 (c,)."""
        return _count_before(self.accepted, len(self.ready))

    @cached_property
    def in_flight(self) -> NDArray[np.int64]:
        """By cycle, the commands accepted before it and in flight in it: int64 (c,)."""
        # A command is in flight up to the cycle of `left`.
        return self.accepted_before - _count_before(self.left, len(self.ready))


def _count_before(events: NDArray[np.int64], cycles: int) -> NDArray[np.int64]:
    """How many events, in order, come before each of so many cycles: int64 (cycles,)."""
    by_cycle = np.bincount(events[: np.searchsorted(events, cycles)], minlength=cycles)
    return np.cumsum(by_cycle) - by_cycle
