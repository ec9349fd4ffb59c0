"""What follows what: post-updates one after another, fills around the commands that read them."""

import numpy as np
from numpy.typing import NDArray

from model import BLOCK_BYTES, Op
from tb.coverage.covergroup import Covergroup, Labels, on_every_design, ranges
from tb.coverage.design import Design
from tb.coverage.labels import only
from tb.coverage.lanes import NO_BLOCK
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
    place = follows.astype(np.int8)
    place[1:] += follows[1:] & follows[:-1]
    return only(place, updates), (observed.lanes.active != 0).astype(np.int8)


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
_BEFORE, _SAME_CYCLE = 0, 0

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
    lanes = observed.lanes
    # Command by command, so that cycles are in order already; of one command once per block.
    command, lane = np.nonzero(lanes.first.T)
    block = lanes.blocks[lane, command]
    kept = wanted[block]
    command, block = command[kept], block[kept]
    # Numbers of 16 bits are sorted in linear time.
    narrow = block.astype(np.min_scalar_type(observed.design.blocks - 1))
    order = np.argsort(narrow, kind="stable")
    return block[order].astype(np.int64) << _CYCLE_BITS | observed.accepted[command[order]]


def _hazard_out_of_reach(design: Design, side: int, distance: int) -> str:
    early = side == _BEFORE and distance == _SAME_CYCLE
    return "in one cycle the command comes first: the fill is after the read" if early else ""


HAZARDS = Covergroup(
    "fills around reads",
    "cycles between the acceptance of a fill and that of the nearest command that reads its block",
    ("OR-1", "OR-2", "OR-3", "OR-6"),
    on_every_design(_SIDES, _DISTANCES),
    _hazard_classes,
    _hazard_out_of_reach,
)

# ---- Fills and the commands next to them ---------------------------------------------------------
_NEIGHBOURS: Labels = ("command before the fill", "command with or after the fill")
_WANTS: Labels = ("reads its block", "reads its bank", "reads other banks or nothing")


def _neighbour_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    """Of each fill that is written, the command accepted last before it, and the next one."""
    address, design = observed.fill_address, observed.design
    written = (address % BLOCK_BYTES == 0) & (address < design.ub_bytes)
    block, filled = address[written] // BLOCK_BYTES, observed.filled[written]
    after = np.searchsorted(observed.accepted, filled)
    near = np.stack([after - 1, after])
    there = (near >= 0) & (near < len(observed.commands))
    if not len(observed.commands):
        return np.zeros(near.shape, np.int8), only(near, there), np.zeros(near.shape, np.int8)
    near = np.where(there, near, 0)
    distance = ranges(np.abs(observed.accepted[near] - filled), 0, 1, 2, 3, 9)
    wants = np.full(near.shape, 2, np.int8)
    for lane in observed.lanes.blocks:
        own = lane[near]
        same_bank = own % np.uint32(design.banks) == block % np.uint32(design.banks)
        own_wants = np.where(own == block, np.int8(0), np.int8(2) - same_bank)
        np.minimum(wants, np.where(own == NO_BLOCK, np.int8(2), own_wants), out=wants)
    return np.arange(len(_NEIGHBOURS))[:, np.newaxis], only(distance, there), wants


def _neighbour_out_of_reach(design: Design, side: int, distance: int, wants: int) -> str:
    early = side == _BEFORE and distance == _SAME_CYCLE
    return "what is accepted before has another cycle" if early else ""


NEIGHBOURS = Covergroup(
    "fills beside commands",
    "cycles from each fill to the commands next to it, and whether they want its block or its bank",
    ("OR-1", "OR-2", "OR-3", "ST-6"),
    on_every_design(_NEIGHBOURS, _DISTANCES, _WANTS),
    _neighbour_classes,
    _neighbour_out_of_reach,
)

ORDER_GROUPS = (CHAINS, HAZARDS, NEIGHBOURS)
