"""What follows what: post-updates one after another, fills around the commands that read them."""

import numpy as np
from numpy.typing import NDArray

from model import BLOCK_BYTES, Op
from tb.coverage.covergroup import Covergroup, Labels, on_every_design, ranges
from tb.coverage.labels import only
from tb.coverage.observed import Observed

# ---- Post-updates --------------------------------------------------------------------------------
_PLACES: Labels = ("first of a chain", "second", "third or later")
_ACTIVE: Labels = ("no lane active", "lanes active")


def _chain_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    commands = observed.commands
    updates = observed.good & (commands.op == Op.LOADALIGN_POST_UPDATE)
    # Arithmetic on uint32 is modulo 2**32, as that of the address register.
    after = commands.base + BLOCK_BYTES * commands.repeat_stride
    moves = after != commands.base
    follows = np.zeros(len(commands), bool)
    follows[1:] = (updates & moves)[:-1] & updates[1:] & (after[:-1] == commands.base[1:])
    number = np.arange(len(commands))
    first = np.maximum.accumulate(np.where(follows, 0, number))
    return (
        only(ranges(number - first, 0, 1, 2), updates),
        observed.active.any(axis=1).astype(np.uint8),
    )


CHAINS = Covergroup(
    "post-update chains",
    "post-updates from the base to which the one just before has moved",
    ("LA-5", "LA-15", "LA-16"),
    on_every_design(_PLACES, _ACTIVE),
    _chain_classes,
)


# ---- Fills and the commands that read their blocks -----------------------------------------------
_SIDES: Labels = ("fill before the read", "fill after the read")
_DISTANCES: Labels = ("same cycle", "1 cycle", "2 cycles", "3 to 8 cycles", "more cycles")
_SAME_CYCLE = 0

# Beside the 25 bits of a block number, in 63.
_CYCLE_BITS = 38


def _hazard_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    """Of each fill that is written, the nearest read before or with it, and the nearest behind."""
    address, ub_bytes = observed.fill_address, observed.design.ub_bytes
    written = (address % BLOCK_BYTES == 0) & (address < ub_bytes)
    filled_blocks = address[written].astype(np.int64) // BLOCK_BYTES
    filled = observed.filled[written]
    reads = _reads_of(observed, filled_blocks)
    behind = np.searchsorted(reads, filled_blocks << _CYCLE_BITS | filled, side="right")
    # At both ends stands a read of no block.
    reads = np.concatenate([[-1], reads, [np.iinfo(np.int64).max]])
    nearest = reads[np.stack([behind + 1, behind])]
    distance = np.abs((nearest & (1 << _CYCLE_BITS) - 1) - filled)
    classes = only(ranges(distance, 0, 1, 2, 3, 9), nearest >> _CYCLE_BITS == filled_blocks)
    return np.arange(len(_SIDES))[:, np.newaxis], classes


def _reads_of(observed: Observed, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The reads of these blocks by block, then by cycle of acceptance, in one number each."""
    wanted = np.zeros(observed.design.blocks, bool)
    wanted[blocks] = True
    command, lane = np.nonzero(observed.reads)
    block = observed.blocks[command, lane]
    kept = wanted[block]
    return np.sort(block[kept] << _CYCLE_BITS | observed.accepted[command[kept]])


HAZARDS = Covergroup(
    "fills around reads",
    "cycles between the acceptance of a fill and that of the nearest command that reads its block",
    ("OR-1", "OR-2", "OR-3", "OR-6"),
    on_every_design(_SIDES, _DISTANCES),
    _hazard_classes,
    # In one cycle the command comes first: the fill is after the read.
    lambda design, side, distance: side == 1 or distance != _SAME_CYCLE,
)

ORDER_GROUPS = (CHAINS, HAZARDS)
