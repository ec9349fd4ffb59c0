"""Sizes and encodings that the whole project shares (specification, sections 1, 3, 4 and 5)."""

from enum import IntEnum

BLOCK_BYTES = 32
"""Bytes in a DataBlock, the unit of every transfer and of alignment."""

LANES = 8
"""DataBlocks in a vector register; lane i moves DataBlock i."""

REGISTER_BYTES = BLOCK_BYTES * LANES
"""Bytes in a vector register."""

MASK_BITS = REGISTER_BYTES
"""Bits in a mask register, one per byte of the vector register."""


class Op(IntEnum):
    """`cmd_op`: what a command does (specification, section 3)."""

    GATHERB = 0
    LOADALIGN = 1
    LOADALIGN_POST_NORMAL = 2
    LOADALIGN_POST_UPDATE = 3


class Dtype(IntEnum):
    """`cmd_dtype`: the element type, named by its width in bits (specification, section 5)."""

    B8 = 0
    B16 = 1
    B32 = 2
    B64 = 3

    @property
    def element_bytes(self) -> int:
        """Bytes of one element, which is also how many mask bits the element owns."""
        return 1 << self


class FaultKind(IntEnum):
    """`rsp_fault`, in the order in which faults are checked (specification, section 4)."""

    NONE = 0
    ILLEGAL_DTYPE = 1
    MISALIGNED_BASE = 2
    MISALIGNED_INDEX = 3
    OUT_OF_RANGE = 4
