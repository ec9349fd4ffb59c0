"""What one test drove into a unit, when it happened, and what follows from it by the model."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from model import (
    BLOCK_BYTES,
    CommandBatch,
    FaultBatch,
    FaultKind,
    active_lanes_batch,
    conflict_degree_batch,
    find_faults_batch,
    lane_addresses_batch,
)
from model.arrays import check_arrays
from tb.coverage.design import Design

NEVER = np.iinfo(np.int64).max
"""In place of a cycle: it did not come before the test ended."""


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
    def active(self) -> NDArray[np.bool_]:
        """Whether each lane is active: bool (n, 8) (sections 2 and 3)."""
        return active_lanes_batch(self.commands)

    @cached_property
    def addresses(self) -> NDArray[np.int64]:
        """The byte address of each lane at full width: int64 (n, 8) (sections 2 and 3)."""
        # 41 bits fit, and signed numbers may be mixed with others.
        return lane_addresses_batch(self.commands).view(np.int64)

    @cached_property
    def faults(self) -> FaultBatch:
        """The fault of each command (section 4)."""
        return find_faults_batch(self.commands, self.design.ub_bytes)

    @cached_property
    def good(self) -> NDArray[np.bool_]:
        """Whether each command has no fault: bool (n,)."""
        return self.faults.kind == FaultKind.NONE

    @cached_property
    def reads(self) -> NDArray[np.bool_]:
        """Whether each lane reads its DataBlock: bool (n, 8)."""
        return self.active & self.good[:, np.newaxis]

    @cached_property
    def blocks(self) -> NDArray[np.int64]:
        """The block number of each lane's address, in the Unified Buffer or not: int64 (n, 8)."""
        return self.addresses // BLOCK_BYTES

    @cached_property
    def degree(self) -> NDArray[np.uint8]:
        """D of each command: uint8 (n,) (section 6)."""
        return conflict_degree_batch(self.commands, self.design.banks, self.design.ub_bytes)

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

    def in_flight(self, cycles: NDArray[np.int64]) -> NDArray[np.int64]:
        """The commands accepted before each of the `cycles` and in flight in it: int64 (k,)."""
        return np.searchsorted(self.accepted, cycles) - np.searchsorted(self.left, cycles)
