"""The values that cross the ports of the unit: commands, faults and responses."""

from dataclasses import dataclass

from model.encodings import LANES, MASK_BITS, Dtype, FaultKind, Op


def _require_unsigned(field: str, value: object, bits: int) -> None:
    if not isinstance(value, int) or not 0 <= value < 1 << bits:
        raise ValueError(f"{field} is {value!r}; it must be an int from 0 to 2**{bits} - 1")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the unit (specification, section 5).

    `base` is a byte address; `mask` holds bit k of the mask register in bit k; the strides count
    DataBlocks; `index` holds eight byte offsets. Fields that `op` ignores may have any legal value.

    Raises ValueError, naming the field, for a value that its port cannot carry, and TypeError for
    an op or dtype that is not a member of its encoding.
    """

    op: Op
    dtype: Dtype
    base: int
    mask: int
    block_stride: int = 0
    repeat_stride: int = 0
    index: tuple[int, ...] = (0,) * LANES

    def __post_init__(self) -> None:
        if not isinstance(self.op, Op):
            raise TypeError(f"op is {self.op!r}; it must be a member of Op")
        if not isinstance(self.dtype, Dtype):
            raise TypeError(f"dtype is {self.dtype!r}; it must be a member of Dtype")
        _require_unsigned("base", self.base, 32)
        _require_unsigned("mask", self.mask, MASK_BITS)
        _require_unsigned("block_stride", self.block_stride, 32)
        _require_unsigned("repeat_stride", self.repeat_stride, 32)
        if not isinstance(self.index, tuple) or len(self.index) != LANES:
            raise ValueError(f"index is {self.index!r}; it must be a tuple of {LANES} byte offsets")
        for lane, offset in enumerate(self.index):
            _require_unsigned(f"index[{lane}]", offset, 32)


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault part of a response; `address` is full width (specification, section 4)."""

    kind: FaultKind
    lane: int
    address: int


NO_FAULT = Fault(FaultKind.NONE, 0, 0)
"""What a response without a fault carries."""


@dataclass(frozen=True, slots=True)
class Response:
    """One response of the unit (specification, section 5).

    `data` is the 256 bytes of the register, DataBlock 0 first; bit i of `block_we` says whether
    DataBlock i is written; `base` is the address register after the command.
    """

    data: bytes
    block_we: int
    base: int
    fault: Fault
