"""What single commands look like: op, data type, mask, strides, conflicts, duplicates."""

import numpy as np
from numpy.typing import NDArray

from model import BLOCK_BYTES, LANES, Dtype, FaultKind, Op
from tb.coverage.covergroup import Covergroup, Labels, on_every_design, ranges
from tb.coverage.design import Design
from tb.coverage.labels import (
    DEGREES,
    DTYPES,
    FAMILIES,
    IGNORED_BITS,
    MASKS,
    NO_BIT,
    OPS,
    family,
    mask_class,
    only,
)
from tb.coverage.observed import Observed


# ---- Masks ---------------------------------------------------------------------------------------
def _mask_out_of_reach(design: Design, op: int, dtype: int, mask: int) -> str:
    if op == Op.GATHERB:
        return ""
    if dtype == Dtype.B64:
        counts = mask not in (NO_BIT, IGNORED_BITS)
        return "no bit counts where the type is illegal" if counts else ""
    if dtype == Dtype.B8 and mask == IGNORED_BITS:
        return "every bit counts for b8"
    return ""


MASK_GROUP = Covergroup(
    "masks",
    "op, data type and what the mask selects",
    ("GB-5", "GB-6", "GB-7", "LA-8", "LA-9", "LA-14", "MK-9", "PT-14"),
    on_every_design(OPS, DTYPES, MASKS),
    lambda observed: (observed.commands.op, observed.commands.dtype, mask_class(observed)),
    _mask_out_of_reach,
)


# ---- Conflicts -----------------------------------------------------------------------------------
def _degree_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    return family(observed), only(observed.degree, observed.good)


def _degree_out_of_reach(design: Design, family: int, degree: int) -> str:
    if degree > design.rows:
        return "a bank has fewer rows"
    # The first and the last of `degree` lanes that share a bank are so many periods apart.
    if family and (degree - 1) * design.shortest_period >= LANES:
        return "no stride brings that many of eight lanes to one bank"
    return ""


CONFLICTS = Covergroup(
    "conflicts",
    "D of the commands without a fault: rows that the active lanes want in one bank",
    ("ST-5", "CY-1", "CY-2", "LA-2"),
    on_every_design(FAMILIES, DEGREES),
    _degree_classes,
    _degree_out_of_reach,
)


# ---- Duplicates ----------------------------------------------------------------------------------
_DISTINCT: Labels = ("1 block", "2 blocks", "3 to 7 blocks", "8 blocks")
_LANES: Labels = ("1 lane", "2 lanes", "3 to 7 lanes", "8 lanes")
_FROM = (1, 2, 3, LANES)


def _duplicate_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    lanes = observed.lanes
    gathers = observed.good & (observed.commands.op == Op.GATHERB)
    return only(ranges(lanes.distinct, *_FROM), gathers), ranges(lanes.count, *_FROM)


def _duplicate_out_of_reach(design: Design, distinct: int, lanes: int) -> str:
    if distinct > lanes:
        return "a lane wants one DataBlock"
    if design.blocks < _FROM[distinct]:
        return "the Unified Buffer has fewer DataBlocks"
    return ""


DUPLICATES = Covergroup(
    "duplicates",
    "distinct DataBlocks and active lanes of a GatherB without a fault",
    ("GB-4", "CY-1"),
    on_every_design(_DISTINCT, _LANES),
    _duplicate_classes,
    _duplicate_out_of_reach,
)


# ---- Strides -------------------------------------------------------------------------------------
_NO_SUCH_STRIDE = "STRIDE_W has too few bits"
_WIDE = 1 << 16  # the hardware's own control word has strides of 16 bits

_WRAPPING = (1 << 32) // ((LANES - 1) * BLOCK_BYTES) + 1  # takes lane 7 from 0 beyond 2^32

_BLOCK_STRIDES: Labels = (
    "stride 0",
    "stride 1",
    "odd from 3 on",
    "power of two from 2 on",
    "other even",
    "above 16 bits",
    "past 2^32 within 8 lanes",
)
_LEAST_BLOCK_STRIDE = (0, 1, 3, 2, 6, _WIDE, _WRAPPING)
_IN_RANGE: Labels = ("good", "OUT_OF_RANGE")


def _block_stride_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    commands = observed.commands
    stride = commands.block_stride
    # Of the short ones by their low bits: 2, 3 and 4 of _BLOCK_STRIDES.
    kinds = np.where(stride & (stride - 1) == 0, np.int8(3), np.int8(4))
    kinds[stride % 2 == 1] = 2
    kinds = np.where(stride < 2, stride.astype(np.int8), kinds)
    kinds += (stride >= _WIDE) * (np.int8(5) - kinds) + (stride >= _WRAPPING).astype(np.int8)
    # With a fault that is found before the addresses, the stride does not matter.
    outside = observed.faults.kind == FaultKind.OUT_OF_RANGE
    counted = (commands.op != Op.GATHERB) & (observed.good | outside)
    return only(kinds, counted), outside.astype(np.int8)


def _block_stride_out_of_reach(design: Design, stride: int, outside: int) -> str:
    # Whatever the stride, lane 0 alone may be active: in range, or past the end.
    wide = design.largest_stride >= _LEAST_BLOCK_STRIDE[stride]
    return "" if wide else _NO_SUCH_STRIDE


BLOCK_STRIDES = Covergroup(
    "block strides",
    "block stride of a LoadAlign whose addresses are in range, or not",
    ("LA-1", "LA-2", "LA-7", "FA-9"),
    on_every_design(_BLOCK_STRIDES, _IN_RANGE),
    _block_stride_classes,
    _block_stride_out_of_reach,
)

_POST_OPS: Labels = (Op.LOADALIGN_POST_NORMAL.name, Op.LOADALIGN_POST_UPDATE.name)
_REPEAT_STRIDES: Labels = (
    "repeat 0",
    "repeat 1",
    "larger",
    "above 16 bits",
    "base beyond 2^32",
)
_LEAST_REPEAT_STRIDE = (0, 1, 2, _WIDE, 1)
_BEYOND = 4
_ADDRESS_SPACE_BLOCKS = (1 << 32) // BLOCK_BYTES


def _repeat_stride_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    commands, faults = observed.commands, observed.faults
    kinds = ranges(commands.repeat_stride, *_LEAST_REPEAT_STRIDE[:_BEYOND])
    # In blocks, whose numbers have 27 bits, the sum of base and repeat stride has 33.
    moved = commands.base // BLOCK_BYTES + commands.repeat_stride.astype(np.int64)
    kinds[moved >= _ADDRESS_SPACE_BLOCKS] = _BEYOND
    # A fault keeps a post-update from happening; it is what a large post-normal leads to.
    normal = commands.op == Op.LOADALIGN_POST_NORMAL
    update = commands.op == Op.LOADALIGN_POST_UPDATE
    outside = faults.kind == FaultKind.OUT_OF_RANGE
    counted = observed.good & (normal | update) | normal & outside
    return update.astype(np.int8), only(kinds, counted)


def _repeat_stride_out_of_reach(design: Design, op: int, stride: int) -> str:
    # A base of 2^32 - 32, good if no lane is active, goes beyond with a repeat stride of 1.
    wide = design.largest_stride >= _LEAST_REPEAT_STRIDE[stride]
    return "" if wide else _NO_SUCH_STRIDE


REPEAT_STRIDES = Covergroup(
    "repeat strides",
    "repeat stride of the post ops where it counts, and whether base + 32 * repeat needs 33 bits",
    ("LA-4", "LA-5", "LA-7", "FA-9"),
    on_every_design(_POST_OPS, _REPEAT_STRIDES),
    _repeat_stride_classes,
    _repeat_stride_out_of_reach,
)

COMMAND_GROUPS = (MASK_GROUP, CONFLICTS, DUPLICATES, BLOCK_STRIDES, REPEAT_STRIDES)
