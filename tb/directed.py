"""Commands that are made, not drawn: one of each kind that the coverage asks for, in any design.

What random commands meet by luck only is certain with these.
"""

from collections.abc import Iterator, Mapping

from model import BLOCK_BYTES, LANES, Command, Dtype, Op
from tb.coverage import Design

_FULL = (1 << 256) - 1
_GATHER_BITS = sum(1 << 4 * lane for lane in range(LANES))
_SIGNIFICANT = {Dtype.B8: _FULL, Dtype.B16: _FULL // 3, Dtype.B32: _FULL // 15}
_ADDRESS_SPACE = 1 << 32
_ADDRESS_BITS = 41
_LAST = _ADDRESS_SPACE - BLOCK_BYTES

LOADS = (Op.LOADALIGN, Op.LOADALIGN_POST_NORMAL, Op.LOADALIGN_POST_UPDATE)


def every_kind(design: Design) -> Iterator[Command]:
    """All that the coverage tells apart in one command without a fault, and edges of it.

    Each op with each data type and mask, as many rows of one bank as there can be, with and without
    lanes that want the same DataBlock; strides and addresses up to the widest.
    """
    yield from _gathers(design)
    for op in LOADS:
        for dtype in _SIGNIFICANT:
            yield from _loads(design, op, dtype)
    for op in LOADS:
        yield from _strides(design, op)
    yield from _single_mask_bits()
    yield from _edges(design)
    yield from _beyond_32_bits(design)
    yield from _masked_faults(design)
    yield from chains(design)


def gather(*blocks: int, dtype: Dtype = Dtype.B32, base: int = 0) -> Command:
    """A GatherB of these DataBlocks behind `base`, in lanes 0, 1, ..., the others inactive."""
    mask = sum(1 << 4 * lane for lane in range(len(blocks)))
    index = tuple(BLOCK_BYTES * block for block in blocks)
    return Command(Op.GATHERB, dtype, base, mask, index=index + (0,) * (LANES - len(index)))


def gather_at(index: Mapping[int, int], mask: int, base: int = 0) -> Command:
    """A GatherB with these offsets, 0 in the lanes that `index` does not name."""
    offsets = tuple(index.get(lane, 0) for lane in range(LANES))
    return Command(Op.GATHERB, Dtype.B32, base, mask, index=offsets)


def load(op: Op, dtype: Dtype, base: int, *lanes: int, stride: int = 0, repeat: int = 0) -> Command:
    """A LoadAlign with these lanes active, by the last significant bit of each."""
    last = {Dtype.B8: 31, Dtype.B16: 30, Dtype.B32: 28}[dtype]
    mask = sum(1 << 32 * lane + last for lane in lanes)
    return Command(op, dtype, base, mask, block_stride=stride, repeat_stride=repeat)


def _gathers(design: Design) -> Iterator[Command]:
    """Every possible D of every number of lanes, all of different DataBlocks or not."""
    for dtype in Dtype:
        yield gather(dtype=dtype)
        yield Command(Op.GATHERB, dtype, 0, _FULL ^ _GATHER_BITS)
        # As many rows of bank 0 as are wanted, then one of each other bank.
        for degree in range(1, min(design.rows, LANES) + 1):
            tall = [row * design.banks for row in range(degree)]
            others = [bank + row * design.banks for row in range(degree) for bank in _but_0(design)]
            for distinct in {degree, 2, LANES - 1, LANES}:
                blocks = (tall + others)[:distinct]
                if len(blocks) < distinct or distinct < degree:
                    continue
                for lanes in range(distinct, LANES + 1):
                    yield gather(*blocks, *blocks[:1] * (lanes - distinct), dtype=dtype)


def _but_0(design: Design) -> range:
    """Other banks, no more of them than there are lanes."""
    return range(1, min(design.banks, LANES))


def _loads(design: Design, op: Op, dtype: Dtype) -> Iterator[Command]:
    """Every possible D of a stride, of one lane, of some, and of all eight."""
    yield load(op, dtype, 0)
    yield Command(op, dtype, 0, _FULL ^ _SIGNIFICANT[dtype])
    everyone = range(LANES)
    for lanes in ([3], [2, 6], everyone):
        yield load(op, dtype, 0, *lanes)
    for period in {1, 2, 4, 8, design.banks, design.shortest_period}:
        stride = design.banks // period
        if not design.shortest_period <= period <= design.banks or stride > design.largest_stride:
            continue
        for lanes in (
            everyone,
            [0, 1],
            *(everyone[: degree * period : period] for degree in everyone),
        ):
            if len(lanes) and stride * lanes[-1] < design.blocks:
                yield load(op, dtype, 0, *lanes, stride=stride)


def _strides(design: Design, op: Op) -> Iterator[Command]:
    """Strides of every size, with lane 0 alone in range, and with that too past the end."""
    wrapping = _ADDRESS_SPACE // (BLOCK_BYTES * (LANES - 1)) + 1
    for stride in (0, 1, 2, 3, 6, 1 << 16, wrapping, design.largest_stride):
        if stride > design.largest_stride:
            continue
        for base in (0, design.ub_bytes):
            yield load(op, Dtype.B8, base, 0, stride=stride)
            yield load(op, Dtype.B8, base, stride=stride, repeat=stride)
        yield load(op, Dtype.B8, 0, 0, repeat=stride)
        yield load(op, Dtype.B8, _LAST, repeat=stride)


def _single_mask_bits() -> Iterator[Command]:
    """Each bit of the mask alone, for each data type: whether it counts shows in one DataBlock."""
    for bit in range(256):
        for dtype in _SIGNIFICANT:
            yield Command(Op.LOADALIGN, dtype, 0, 1 << bit)
        yield gather_at({}, 1 << bit)


def _edges(design: Design) -> Iterator[Command]:
    """Each lane at the first DataBlock, the last, and the first past the end; at each bank."""
    last = design.blocks - 1
    for lane in range(LANES):
        for block in (0, last, last + 1):
            others = (min(block, 1),) * lane
            yield gather(*others, block)
            for op in LOADS:
                for stride in {0, 1} if lane <= block else {0}:
                    base = BLOCK_BYTES * (block - stride * lane)
                    yield load(op, Dtype.B8, base, lane, stride=stride)
    for bank in range(0, design.banks, max(1, design.banks // 64)):
        yield gather(*[bank] * LANES)


def _beyond_32_bits(design: Design) -> Iterator[Command]:
    """Addresses of 33 bits and more, in the Unified Buffer modulo 2^32 or not, from the last base."""
    outside = design.blocks + 1
    for lane in range(LANES):
        for block in (1, outside):
            index = (BLOCK_BYTES * block,) * LANES
            yield Command(Op.GATHERB, Dtype.B16, _LAST, 1 << 4 * lane, index=index)
        for op in LOADS:
            for stride in {1, min(design.largest_stride, outside)}:
                yield load(op, Dtype.B8, _LAST, lane, stride=stride, repeat=stride)


def _masked_faults(design: Design) -> Iterator[Command]:
    """A lane that would fault is inactive, alone or beside lanes that are active."""
    for offset in (1, design.ub_bytes):
        index = (0,) * (LANES - 1) + (offset,)
        for mask in (0, 1):
            yield Command(Op.GATHERB, Dtype.B8, 0, mask, index=index)
    for op in LOADS:
        yield load(op, Dtype.B32, design.ub_bytes, stride=1)
        yield load(op, Dtype.B32, design.ub_bytes - BLOCK_BYTES, 0, stride=1)
        for mask in (0, 1, _FULL):
            yield Command(op, Dtype.B64, 0, mask)


def chains(design: Design) -> Iterator[Command]:
    """Post-updates from where the one before has gone: without a lane, around 2^32, and with lanes."""
    for active in range(1 << 4):
        base = _LAST
        for number in range(4):
            lanes = [0] if active >> number & 1 and base < design.ub_bytes else []
            yield load(Op.LOADALIGN_POST_UPDATE, Dtype.B16, base, *lanes, repeat=1)
            base = (base + BLOCK_BYTES) % _ADDRESS_SPACE
        # What comes next is no continuation.
        yield gather(0)


def one_bit_misaligned() -> Iterator[Command]:
    """Each lane alone at the first DataBlock but for one bit less than a DataBlock has."""
    for lane in range(LANES):
        for bit in range(BLOCK_BYTES.bit_length() - 1):
            yield gather_at({lane: 1 << bit}, 1 << 4 * lane)


def highest_addresses(stride_limit: int) -> Iterator[Command]:
    """Each lane alone, where the base and both strides are as large as they can be."""
    for lane in range(LANES):
        yield load(
            Op.LOADALIGN_POST_NORMAL,
            Dtype.B8,
            _LAST,
            lane,
            stride=stride_limit - 1,
            repeat=stride_limit - 1,
        )


def one_bit_out_of_range(ub_bytes: int, stride_limit: int, in_range: int = 0) -> Iterator[Command]:
    """Each lane alone at `in_range` but for one bit more, every bit that the lane can reach.

    Specification, section 4: addresses count at full width, up to 41 bits.
    """
    for bit in range(ub_bytes.bit_length() - 1, _ADDRESS_BITS):
        for lane in range(LANES):
            address = (1 << bit) + in_range
            base = min(address, _LAST)
            if address - base < _ADDRESS_SPACE:
                yield gather_at({lane: address - base}, 1 << 4 * lane, base)
            yield from _load_from(address, lane, stride_limit)


def _load_from(address: int, lane: int, stride_limit: int) -> Iterator[Command]:
    """A LoadAlign whose only active lane has this address, where there is one."""
    blocks = address // BLOCK_BYTES
    block_stride = min(blocks // lane, stride_limit - 1) if lane else 0
    blocks -= block_stride * lane
    repeat_stride = min(blocks, stride_limit - 1)
    base = BLOCK_BYTES * (blocks - repeat_stride)
    if base < _ADDRESS_SPACE:
        yield load(
            Op.LOADALIGN_POST_NORMAL,
            Dtype.B8,
            base,
            lane,
            stride=block_stride,
            repeat=repeat_stride,
        )


def others_out_of_range(ub_bytes: int) -> Iterator[Command]:
    """Each lane out of range, beside each other one that is not active and has every bit set.

    Specification, section 4: what is reported is of the lane that faults and of no other.
    """
    for base in (0, _LAST):
        for lane in range(LANES):
            for other in range(LANES):
                if other != lane:
                    index = {lane: ub_bytes, other: _ADDRESS_SPACE - 1}
                    yield gather_at(index, 1 << 4 * lane, base)
