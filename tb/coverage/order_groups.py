"""What follows what: post-updates one after another, fills around the commands that read them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from model import BLOCK_BYTES, Op
from tb.coverage.covergroup import Covergroup, Labels, on_every_design, ranges
from tb.coverage.design import Design
from tb.coverage.labels import only
from tb.coverage.lanes import NO_BLOCK
from tb.coverage.observed import NEVER, Observed

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
_BEFORE, _AFTER = range(len(_SIDES))
_SAME_CYCLE = 0
_FAR = len(_DISTANCES) - 1

_LEAST_DISTANCES = (0, 1, 2, 3, 9)
_NEAR = 8  # cycles at most; what is farther is one class
_ONE = np.uint64(1)


def _hazard_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    """Of each fill that is written, the nearest read before or with it, and the nearest behind."""
    block, filled = _written(observed)
    first, last = _first_and_last_reads(observed)
    classes = np.full((len(_SIDES), len(block)), -1, np.int8)
    classes[_AFTER, first[block] <= filled] = _FAR
    classes[_BEFORE, last[block] > filled] = _FAR
    reads_in = _reads_by_cycle(observed)
    # The nearest comes last and stays. What is in the same cycle comes before the fill.
    for distance in range(_NEAR, -1, -1):
        place = ranges(np.array(distance), *_LEAST_DISTANCES)
        classes[_AFTER, reads_in(filled - distance, block)] = place
        if distance:
            classes[_BEFORE, reads_in(filled + distance, block)] = place
    return np.arange(len(_SIDES))[:, np.newaxis], classes


def _reads_by_cycle(
    observed: Observed,
) -> Callable[[NDArray[np.int64], NDArray[np.uint32]], NDArray[np.intp]]:
    """Tells which of (cycle, DataBlock) are read by a command that is accepted in that cycle."""
    blocks = observed.lanes.blocks
    # A word for each command, with a bit for each of 64 sets of blocks, leaves few to look at.
    bits = np.zeros(blocks.shape[1], np.uint64)
    for lane in blocks:
        bits |= _ONE << (lane % np.uint32(64)).astype(np.uint64)
    by_cycle = np.zeros(len(observed.ready) + 2 * _NEAR, np.uint64)
    by_cycle[observed.accepted + _NEAR] = bits
    number = np.zeros(len(by_cycle), np.intp)
    number[observed.accepted + _NEAR] = np.arange(len(bits))

    def reads_in(cycle: NDArray[np.int64], block: NDArray[np.uint32]) -> NDArray[np.intp]:
        bit = _ONE << (block % np.uint32(64)).astype(np.uint64)
        likely = np.flatnonzero(by_cycle[cycle + _NEAR] & bit)
        command = number[cycle[likely] + _NEAR]
        same = np.zeros(len(likely), bool)
        for lane in blocks:
            same |= lane[command] == block[likely]
        return likely[same]

    return reads_in


def _written(observed: Observed) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The DataBlocks of the fills that are not dropped, and their cycles."""
    address = observed.fill_address
    written = (address % BLOCK_BYTES == 0) & (address < observed.design.ub_bytes)
    return address[written] // BLOCK_BYTES, observed.filled[written]


def _first_and_last_reads(observed: Observed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each DataBlock the cycle in which a read of it is first accepted, and last; NEVER and -1."""
    blocks, accepted = observed.design.blocks, observed.accepted
    first, last = np.full(blocks + 1, NEVER), np.full(blocks + 1, -1)
    for lane in observed.lanes.blocks:
        # A lane that reads nothing has a place of its own behind the others.
        place = np.minimum(lane, blocks)
        # Of several numbers for one place the last one stays.
        own = np.full(blocks + 1, -1)
        own[place] = accepted
        np.maximum(last, own, out=last)
        own[:] = NEVER
        own[place[::-1]] = accepted[::-1]
        np.minimum(first, own, out=first)
    return first, last


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
    design = observed.design
    block, filled = _written(observed)
    after = np.searchsorted(observed.accepted, filled)
    near = np.stack([after - 1, after])
    there = (near >= 0) & (near < len(observed.commands))
    if not len(observed.commands):
        return np.zeros(near.shape, np.int8), only(near, there), np.zeros(near.shape, np.int8)
    near = np.where(there, near, 0)
    distance = ranges(np.abs(observed.accepted[near] - filled), *_LEAST_DISTANCES)
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
