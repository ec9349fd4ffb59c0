"""How many cycles the banks need for a command: D of the specification, section 6."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from model.batch import (
    CommandBatch,
    active_lanes_batch,
    find_faults_batch,
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
    bank = lane_addresses_batch(batch) // BLOCK_BYTES % banks
    reads = bank_reads_batch(batch, ub_bytes)
    degree = np.zeros(len(batch), np.uint8)
    for lane in range(LANES):
        rows = ((bank == bank[:, lane, np.newaxis]) & reads).sum(axis=1, dtype=np.uint8)
        np.maximum(degree, rows, out=degree)
    return degree


def bank_reads_batch(batch: CommandBatch, ub_bytes: int) -> NDArray[np.bool_]:
    """The lanes for which a bank is read: bool (n, 8) (specification, section 6).

    The read of a DataBlock belongs to the lowest of the active lanes that want it.
    """
    good = find_faults_batch(batch, ub_bytes).kind == FaultKind.NONE
    blocks = lane_addresses_batch(batch) // BLOCK_BYTES
    reads = active_lanes_batch(batch) & good[:, np.newaxis]
    for lane in range(LANES - 1):
        shares = blocks[:, lane + 1 :] == blocks[:, lane, np.newaxis]
        reads[:, lane + 1 :] &= ~(shares & reads[:, lane, np.newaxis])
    return reads
