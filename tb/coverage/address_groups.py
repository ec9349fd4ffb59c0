"""Where commands and fills go: the edges of the Unified Buffer, its banks, and beyond 32 bits."""

import numpy as np
from numpy.typing import NDArray

from model import BLOCK_BYTES, LANES, FaultKind, Op
from tb.coverage.covergroup import Covergroup, Labels, on_every_design
from tb.coverage.design import Design
from tb.coverage.labels import FAMILIES, LANE_NUMBERS, OPS, family, only
from tb.coverage.lanes import NO_BLOCK
from tb.coverage.observed import Observed

# ---- Edges ---------------------------------------------------------------------------------------
_EDGES: Labels = ("first block", "last block", "first past the end")


def _edge_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    blocks, faults = observed.lanes.blocks, observed.faults
    past = (faults.kind == FaultKind.OUT_OF_RANGE) & (faults.address == observed.design.ub_bytes)
    first, last = blocks == 0, blocks == observed.design.blocks - 1
    edges = first.view(np.int8) + 2 * last.view(np.int8) - np.int8(1)
    # A command that is blamed reads nothing.
    edges[faults.lane[past], np.flatnonzero(past)] = 2
    return family(observed), edges, np.arange(LANES)[:, np.newaxis]


EDGES = Covergroup(
    "edges",
    "lanes that read the first or last DataBlock or are blamed for the first byte past the end",
    ("ST-4", "FA-4"),
    on_every_design(FAMILIES, _EDGES, LANE_NUMBERS),
    _edge_classes,
)


# ---- Beyond 32 bits ------------------------------------------------------------------------------
_WIDTHS: Labels = (
    "below 2^32",
    "from 2^32 on, outside modulo 2^32 too",
    "from 2^32 on, inside modulo 2^32",
)
_OUTSIDE_MODULO = 1


def _width_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    faults = observed.faults
    outside = np.flatnonzero(faults.kind == FaultKind.OUT_OF_RANGE)
    address = faults.address[outside].astype(np.int64)
    inside = address % (1 << 32) < observed.design.ub_bytes
    widths = (address >> 32 > 0) * (_OUTSIDE_MODULO + inside)
    return observed.commands.op[outside], widths


def _width_out_of_reach(design: Design, op: int, width: int) -> str:
    if op == Op.GATHERB or width != _OUTSIDE_MODULO:
        return ""
    # From the largest base, 2^32 - 32, lane 7 must get past as many blocks as there are; the block
    # stride takes it 7 strides on, the repeat stride one more.
    steps = LANES if op == Op.LOADALIGN_POST_NORMAL else LANES - 1
    far = steps * design.largest_stride > design.blocks
    return "" if far else "strides of this width end within the Unified Buffer modulo 2^32"


WIDTHS = Covergroup(
    "address widths",
    "the address that OUT_OF_RANGE reports, at full width and as 32 bits would have it",
    ("GB-1", "GB-2", "FA-9", "FA-10"),
    on_every_design(OPS, _WIDTHS),
    _width_classes,
    _width_out_of_reach,
)


# ---- Banks ---------------------------------------------------------------------------------------
_BANK_GROUPS = 16  # at most: of more banks, neighbours are counted as one


def _banks_together(design: Design) -> int:
    return max(1, design.banks // _BANK_GROUPS)


def _bank_axes(design: Design) -> tuple[Labels, ...]:
    size = _banks_together(design)
    firsts = range(0, design.banks, size)
    banks = tuple(
        f"bank {first}" if size == 1 else f"banks {first} to {first + size - 1}" for first in firsts
    )
    return LANE_NUMBERS, banks


def _bank_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    design, blocks = observed.design, observed.lanes.blocks
    # Powers of two both: the low bits of a block number, and of them the high ones.
    bank = blocks & np.uint32(design.banks - 1)
    together = bank >> np.uint32(_banks_together(design).bit_length() - 1)
    return np.arange(LANES)[:, np.newaxis], only(together, blocks != NO_BLOCK)


BANKS = Covergroup(
    "banks",
    "each lane reads from each bank",
    ("ST-5", "GB-1", "LA-1"),
    _bank_axes,
    _bank_classes,
)


# ---- Fills ---------------------------------------------------------------------------------------
_FILLS: Labels = (
    "first block",
    "last block",
    "another block",
    "dropped: first past the end",
    "dropped: farther out of range",
    "dropped: misaligned",
)
_ANOTHER_BLOCK = 2


def _fill_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    address, ub_bytes = observed.fill_address, observed.design.ub_bytes
    conditions = [
        address % BLOCK_BYTES != 0,
        address > ub_bytes,
        address == ub_bytes,
        address == 0,
        address == ub_bytes - BLOCK_BYTES,
    ]
    return (np.select(conditions, [5, 4, 3, 0, 1], _ANOTHER_BLOCK),)


def _fill_out_of_reach(design: Design, place: int) -> str:
    if place == _ANOTHER_BLOCK and design.blocks == 2:
        return "the smallest Unified Buffer has a first DataBlock and a last one"
    return ""


FILLS = Covergroup(
    "fill addresses",
    "where fills go, and those that are dropped",
    ("ST-4", "PT-7", "PT-8"),
    on_every_design(_FILLS),
    _fill_classes,
    _fill_out_of_reach,
)

ADDRESS_GROUPS = (EDGES, WIDTHS, BANKS, FILLS)
