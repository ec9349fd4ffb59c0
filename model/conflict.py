"""How many cycles the banks need for a command: D of the specification, section 6."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from model.batch import (
    CommandBatch,
    active_lanes_batch,
    faults_of_lanes,
    lane_addresses_batch,
)
from model.encodings import BLOCK_BYTES, LANES, FaultKind
from model.golden import find_fault, lane_addresses
from model.masks import active_lanes
from model.values import NO_FAULT, Command


def conflict_degree(command: Command, banks: int, ub_bytes: int) -> int:
    """D: the largest number of distinct rows that the active lanes want in any one bank.

    Specification, section 6. 0 when no lane is active or the command faults.
    """
    if find_fault(command, ub_bytes) != NO_FAULT:
        return 0
    active = active_lanes(command.op, command.dtype, command.mask)
    blocks = {
        address // BLOCK_BYTES
        for lane, address in enumerate(lane_addresses(command))
        if active >> lane & 1
    }
    # Distinct DataBlocks of one bank are distinct rows of it.
    return max(Counter(block % banks for block in blocks).values(), default=0)


def conflict_degree_batch(batch: CommandBatch, banks: int, ub_bytes: int) -> NDArray[np.uint8]:
    """D of each command: uint8 (n,) (specification, section 6)."""
    blocks, reads = _wanted(batch, ub_bytes)
    return most_rows_of_a_bank(blocks, first_to_want(blocks, reads), banks)


def bank_reads_batch(batch: CommandBatch, ub_bytes: int) -> NDArray[np.bool_]:
    """The lanes for which a bank is read: bool (n, 8) (specification, section 6).

    The read of a DataBlock belongs to the lowest of the active lanes that want it.
    """
    return np.ascontiguousarray(first_to_want(*_wanted(batch, ub_bytes)).T)


def first_to_want(
    blocks: NDArray[np.unsignedinteger], reads: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Of the lanes that read, those that want a DataBlock which no lower one wants: bool (8, n).

    `blocks` and `reads`, both (8, n), have a row for each lane: the blocks and who reads at all.
    """
    first = reads.copy()
    for lane in range(LANES - 1):
        first[lane + 1 :] &= ~((blocks[lane + 1 :] == blocks[lane]) & first[lane])
    return first


def most_rows_of_a_bank(
    blocks: NDArray[np.unsignedinteger], first: NDArray[np.bool_], banks: int
) -> NDArray[np.uint8]:
    """The largest number of `first` lanes, as `first_to_want` has them, in one bank: uint8 (n,)."""
    # The low bits of the block number; one byte holds them where banks are not very many.
    bank = (blocks & blocks.dtype.type(banks - 1)).astype(np.min_scalar_type(banks - 1))
    degree = np.zeros(blocks.shape[1], np.uint8)
    for lane in range(LANES):
        rows = ((bank == bank[lane]) & first).sum(axis=0, dtype=np.uint8)
        np.maximum(degree, rows, out=degree)
    return degree


def _wanted(batch: CommandBatch, ub_bytes: int) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """The DataBlock of each lane's address, and whether the lane reads it: both (8, n)."""
    addresses, active = lane_addresses_batch(batch), active_lanes_batch(batch)
    good = faults_of_lanes(batch, addresses, active, ub_bytes).kind == FaultKind.NONE
    blocks = np.ascontiguousarray(addresses.T) // BLOCK_BYTES
    return blocks, np.ascontiguousarray(active.T) & good
