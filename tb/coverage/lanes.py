"""What the eight lanes of each command want, worked out once for all covergroups."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model import (
    BLOCK_BYTES,
    LANES,
    CommandBatch,
    FaultBatch,
    FaultKind,
    Op,
    active_lanes_batch,
    lane_addresses_batch,
)
from model.batch import faults_of_lanes, lane_bits
from model.conflict import first_to_want, most_rows_of_a_bank
from tb.coverage.design import Design

NO_BLOCK = np.uint32(0xFFFFFFFF)
"""In place of the number of a DataBlock: the lane reads none."""

# So many at once stay in a core's own cache.
_CHUNK_COMMANDS = 1 << 14

_SET_SIZE = np.array([lanes.bit_count() for lanes in range(1 << LANES)], np.uint8)


@dataclass(frozen=True, eq=False)
class Lanes:
    """The lanes of n commands, as sections 2 to 4 of the specification have them.

    `active`, `misaligned` and `outside`, uint8 (n,), have a bit for each lane: whether it is active,
    whether it has a misaligned index, whether it is out of range, the latter two active or not.
    `faults` is what comes of them. `blocks`, uint32 (8, n), has the DataBlocks that lanes read,
    NO_BLOCK elsewhere; `first`, bool (8, n), is the lowest of all lanes that read the same one, and
    `degree`, uint8 (n,), is D of section 6.
    """

    active: NDArray[np.uint8]
    misaligned: NDArray[np.uint8]
    outside: NDArray[np.uint8]
    faults: FaultBatch
    blocks: NDArray[np.uint32]
    first: NDArray[np.bool_]
    degree: NDArray[np.uint8]

    @property
    def count(self) -> NDArray[np.uint8]:
        """The number of active lanes: uint8 (n,)."""
        return _SET_SIZE[self.active]

    @property
    def distinct(self) -> NDArray[np.uint8]:
        """The number of DataBlocks that are read: uint8 (n,)."""
        return self.first.sum(axis=0, dtype=np.uint8)


def lanes_of(commands: CommandBatch, design: Design) -> Lanes:
    """The lanes of all commands in this design."""
    count = len(commands)
    lanes = Lanes(
        active=np.empty(count, np.uint8),
        misaligned=np.empty(count, np.uint8),
        outside=np.empty(count, np.uint8),
        faults=FaultBatch(
            np.empty(count, np.uint8), np.empty(count, np.uint8), np.empty(count, np.uint64)
        ),
        blocks=np.empty((LANES, count), np.uint32),
        first=np.empty((LANES, count), np.bool_),
        degree=np.empty(count, np.uint8),
    )
    for start in range(0, count, _CHUNK_COMMANDS):
        chunk = slice(start, start + _CHUNK_COMMANDS)
        _work_out(lanes, chunk, commands.take(chunk), design)
    return lanes


def _work_out(lanes: Lanes, chunk: slice, commands: CommandBatch, design: Design) -> None:
    addresses, active = lane_addresses_batch(commands), active_lanes_batch(commands)
    faults = faults_of_lanes(commands, addresses, active, design.ub_bytes)
    lanes.active[chunk] = lane_bits(active)
    misaligned = lane_bits(commands.index & (BLOCK_BYTES - 1) != 0)
    lanes.misaligned[chunk] = misaligned * (commands.op == Op.GATHERB)
    lanes.outside[chunk] = lane_bits(addresses + BLOCK_BYTES > design.ub_bytes)
    for name in ("kind", "lane", "address"):
        getattr(lanes.faults, name)[chunk] = getattr(faults, name)
    reads = np.ascontiguousarray(active.T) & (faults.kind == FaultKind.NONE)
    # What a lane reads has a number of 25 bits at most; of the others nothing is kept.
    blocks = np.ascontiguousarray((addresses // BLOCK_BYTES).T.astype(np.uint32))
    first = first_to_want(blocks, reads)
    lanes.blocks[:, chunk] = np.where(reads, blocks, NO_BLOCK)
    lanes.first[:, chunk] = first
    lanes.degree[chunk] = most_rows_of_a_bank(blocks, first, design.banks)
