"""Mask registers: how kernels make them and which DataBlocks they activate."""

from enum import Enum, auto

from model.encodings import LANES, MASK_BITS, Dtype, Op


class MaskPattern(Enum):
    """The patterns of CreateMask (specification, section 7)."""

    ALL = auto()
    VL1 = auto()
    VL2 = auto()
    VL3 = auto()
    VL4 = auto()
    VL8 = auto()
    VL16 = auto()
    VL32 = auto()
    VL64 = auto()
    VL128 = auto()
    M3 = auto()
    M4 = auto()
    H = auto()
    Q = auto()
    ALLF = auto()


def _selected_elements(pattern: MaskPattern, elements: int) -> range:
    match pattern:
        case MaskPattern.ALL:
            return range(elements)
        case MaskPattern.M3:
            return range(0, elements, 3)
        case MaskPattern.M4:
            return range(0, elements, 4)
        case MaskPattern.H:
            return range(elements // 2)
        case MaskPattern.Q:
            return range(elements // 4)
        case MaskPattern.ALLF:
            return range(0)
        case _:
            return range(min(int(pattern.name.removeprefix("VL")), elements))


def _mask_of(dtype: Dtype, elements: range) -> int:
    return sum(1 << dtype.element_bytes * element for element in elements)


def create_mask(dtype: Dtype, pattern: MaskPattern) -> int:
    """CreateMask<dtype>(pattern) as a 256-bit int (specification, section 7)."""
    return _mask_of(dtype, _selected_elements(pattern, MASK_BITS // dtype.element_bytes))


def update_mask(dtype: Dtype, count: int) -> tuple[int, int]:
    """UpdateMask<dtype>(count): the 256-bit mask and the lowered count (specification, section 7).

    Raises ValueError for a negative count.
    """
    if count < 0:
        raise ValueError(f"count is {count}; it must be 0 or more elements")
    selected = min(count, MASK_BITS // dtype.element_bytes)
    return _mask_of(dtype, range(selected)), count - selected


_BLOCK_MASK_BITS = MASK_BITS // LANES
_BLOCK_MASK = (1 << _BLOCK_MASK_BITS) - 1
_SIGNIFICANT_BITS = {dtype: create_mask(dtype, MaskPattern.ALL) for dtype in Dtype}


def active_lanes(op: Op, dtype: Dtype, mask: int) -> int:
    """The active DataBlocks of a command, DataBlock i in bit i (specification, sections 2 and 3).

    A LoadAlign of b64 is illegal and reads nothing: it has no active DataBlock.
    """
    if op is Op.GATHERB:
        return sum(1 << lane for lane in range(LANES) if mask >> 4 * lane & 1)
    if dtype is Dtype.B64:
        return 0
    significant = mask & _SIGNIFICANT_BITS[dtype]
    return sum(
        1 << lane for lane in range(LANES) if significant >> _BLOCK_MASK_BITS * lane & _BLOCK_MASK
    )
