"""What single commands look like: op, data type, mask, strides, conflicts, duplicates."""

import numpy as np
from numpy.typing import NDArray

from model import BLOCK_BYTES, LANES, Dtype, FaultKind, Op
from tb.coverage.covergroup import Covergroup, Labels, on_every_design, ranges
from tb.coverage.design import Design
from tb.coverage.labels import DTYPES, FAMILIES, OPS, family, only
from tb.coverage.observed import Observed

# ---- Masks ---------------------------------------------------------------------------------------
_MASKS: Labels = (
    "no bit set",
    "one lane",
    "some lanes",
    "eight lanes",
    "only bits that do not count",
)
_NO_BIT, _IGNORED_BITS = 0, 4


def _mask_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    commands = observed.commands
    lanes = ranges(observed.active.sum(axis=1), 0, 1, 2, LANES)
    ignored = (lanes == 0) & commands.mask.any(axis=1)
    return commands.op, commands.dtype, np.where(ignored, _IGNORED_BITS, lanes)


def _mask_reachable(design: Design, op: int, dtype: int, mask: int) -> bool:
    if op == Op.GATHERB:
        return True
    if dtype == Dtype.B64:
        # No bit counts where the type is illegal: the mask has bits or it has none.
        return mask in (_NO_BIT, _IGNORED_BITS)
    # Every bit counts for b8.
    return dtype != Dtype.B8 or mask != _IGNORED_BITS


MASKS = Covergroup(
    "masks",
    "op, data type and what the mask selects",
    ("GB-5", "GB-6", "GB-7", "LA-8", "LA-9", "LA-14", "MK-9", "PT-14"),
    on_every_design(OPS, DTYPES, _MASKS),
    _mask_classes,
    _mask_reachable,
)


# ---- Conflicts -----------------------------------------------------------------------------------
_DEGREES: Labels = tuple(f"D = {degree}" for degree in range(LANES + 1))


def _degree_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    return family(observed), only(observed.degree, observed.good)


def _degree_reachable(design: Design, family: int, degree: int) -> bool:
    if not family:
        return degree <= design.rows
    # Lanes of one bank are `period` apart, at best: the stride's part in common with BANKS is a
    # power of two that STRIDE_W holds. The first and the last of `degree` such lanes are then
    # (degree - 1) * BANKS blocks apart, which the rows hold.
    period = design.banks // min(design.banks, 1 << design.stride_w - 1)
    return degree <= design.rows and (degree - 1) * period < LANES


DEGREES = Covergroup(
    "conflicts",
    "D of the commands without a fault: rows that the active lanes want in one bank",
    ("ST-5", "CY-1", "CY-2", "LA-2"),
    on_every_design(FAMILIES, _DEGREES),
    _degree_classes,
    _degree_reachable,
)


# ---- Duplicates ----------------------------------------------------------------------------------
_DISTINCT: Labels = ("1 block", "2 blocks", "3 to 7 blocks", "8 blocks")
_LANES: Labels = ("1 lane", "2 lanes", "3 to 7 lanes", "8 lanes")
_FROM = (1, 2, 3, LANES)


def _duplicate_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    gathers = np.flatnonzero(observed.good & (observed.commands.op == Op.GATHERB))
    active = observed.active[gathers]
    # Lanes that read nothing stand in front, as one block that is taken off again.
    blocks = np.sort(np.where(active, observed.blocks[gathers], -1), axis=1)
    distinct = 1 + np.count_nonzero(np.diff(blocks, axis=1), axis=1) - (blocks[:, 0] < 0)
    return ranges(distinct, *_FROM), ranges(active.sum(axis=1), *_FROM)


def _duplicate_reachable(design: Design, distinct: int, lanes: int) -> bool:
    # No more blocks than lanes, and no more than there are.
    return distinct <= lanes and design.blocks >= _FROM[distinct]


DUPLICATES = Covergroup(
    "duplicates",
    "distinct DataBlocks and active lanes of a GatherB without a fault",
    ("GB-4", "CY-1"),
    on_every_design(_DISTINCT, _LANES),
    _duplicate_classes,
    _duplicate_reachable,
)


# ---- Strides -------------------------------------------------------------------------------------
_WIDE = 1 << 16  # the hardware's own control word has strides of 16 bits

_BLOCK_STRIDES: Labels = (
    "stride 0",
    "stride 1",
    "odd from 3 on",
    "power of two from 2 on",
    "other even",
    "above 16 bits",
)
_LEAST_BLOCK_STRIDE = (0, 1, 3, 2, 6, _WIDE)
_IN_RANGE: Labels = ("good", "OUT_OF_RANGE")


def _block_stride_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    commands = observed.commands
    stride = commands.block_stride.astype(np.int64)
    kinds = np.select(
        [stride < 2, stride >= _WIDE, stride % 2 == 1, stride & (stride - 1) == 0],
        [stride, 5, 2, 3],
        4,
    )
    # With a fault that is found before the addresses, the stride does not matter.
    outside = observed.faults.kind == FaultKind.OUT_OF_RANGE
    counted = (commands.op != Op.GATHERB) & (observed.good | outside)
    return only(kinds, counted), outside.astype(np.uint8)


def _block_stride_reachable(design: Design, stride: int, outside: int) -> bool:
    # Whatever the stride, lane 0 alone may be active: in range, or past the end.
    return design.largest_stride >= _LEAST_BLOCK_STRIDE[stride]


BLOCK_STRIDES = Covergroup(
    "block strides",
    "block stride of a LoadAlign whose addresses are in range, or not",
    ("LA-1", "LA-2", "LA-7", "FA-9"),
    on_every_design(_BLOCK_STRIDES, _IN_RANGE),
    _block_stride_classes,
    _block_stride_reachable,
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


def _repeat_stride_classes(observed: Observed) -> tuple[NDArray[np.integer], ...]:
    commands, faults = observed.commands, observed.faults
    moved = commands.base + BLOCK_BYTES * commands.repeat_stride.astype(np.int64)
    kinds = ranges(commands.repeat_stride, *_LEAST_REPEAT_STRIDE[:_BEYOND])
    kinds = np.where(moved >> 32 > 0, _BEYOND, kinds)
    # A fault keeps a post-update from happening; it is what a large post-normal leads to.
    normal = commands.op == Op.LOADALIGN_POST_NORMAL
    update = commands.op == Op.LOADALIGN_POST_UPDATE
    outside = faults.kind == FaultKind.OUT_OF_RANGE
    counted = observed.good & (normal | update) | normal & outside
    return update.astype(np.uint8), only(kinds, counted)


def _repeat_stride_reachable(design: Design, op: int, stride: int) -> bool:
    # A base of 2^32 - 32, good if no lane is active, goes beyond with a repeat stride of 1.
    return design.largest_stride >= _LEAST_REPEAT_STRIDE[stride]


REPEAT_STRIDES = Covergroup(
    "repeat strides",
    "repeat stride of the post ops where it counts, and whether base + 32 * repeat needs 33 bits",
    ("LA-4", "LA-5", "LA-7", "FA-9"),
    on_every_design(_POST_OPS, _REPEAT_STRIDES),
    _repeat_stride_classes,
    _repeat_stride_reachable,
)

COMMAND_GROUPS = (MASKS, DEGREES, DUPLICATES, BLOCK_STRIDES, REPEAT_STRIDES)
