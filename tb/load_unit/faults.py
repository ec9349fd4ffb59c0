"""Every fault of specification, section 4, in every lane, next to good commands."""

from collections.abc import Iterator

from model import BLOCK_BYTES, LANES, Command, Dtype, FaultKind, Op, find_fault
from tb.directed import (
    highest_addresses,
    one_bit_misaligned,
    one_bit_out_of_range,
    others_out_of_range,
)
from tb.load_unit.cycles import FULL_MASK
from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.proves import proves

STRIDED = (Op.LOADALIGN, Op.LOADALIGN_POST_NORMAL, Op.LOADALIGN_POST_UPDATE)


def gather_faults(ub_bytes: int) -> Iterator[Command]:
    """For each lane a misaligned index, the first block past the end, and what hides them."""
    for lane in range(LANES):
        for offset in (1, 16, 31, ub_bytes, (1 << 32) - BLOCK_BYTES, ub_bytes + 1):
            index = tuple(offset if k == lane else 0 for k in range(LANES))
            yield Command(Op.GATHERB, Dtype.B8, base=0, mask=FULL_MASK, index=index)
            alone = 1 << 4 * lane
            yield Command(Op.GATHERB, Dtype.B16, base=0, mask=FULL_MASK ^ alone, index=index)
            # Comes back into range modulo 2^32: a fault all the same.
            base = (1 << 32) - BLOCK_BYTES
            wrapped = tuple(BLOCK_BYTES if k == lane else 0 for k in range(LANES))
            yield Command(Op.GATHERB, Dtype.B64, base=base, mask=alone, index=wrapped)
        late = tuple(1 if k == lane else ub_bytes for k in range(LANES))
        yield Command(Op.GATHERB, Dtype.B32, base=0, mask=FULL_MASK, index=late)


def strided_faults(ub_bytes: int, stride_limit: int) -> Iterator[Command]:
    """The first lane past the end is each lane in turn; then strides that wrap."""
    blocks = ub_bytes // BLOCK_BYTES
    for op in STRIDED:
        for lane in range(LANES):
            base = BLOCK_BYTES * max(0, blocks - lane)
            for mask in (FULL_MASK, 0xFF << 32 * lane, FULL_MASK >> 32 * (LANES - lane)):
                yield Command(op, Dtype.B8, base=base, mask=mask, block_stride=1)
        for stride in (stride_limit - 1, stride_limit // 2, (1 << 27) % stride_limit):
            yield Command(op, Dtype.B16, base=0, mask=FULL_MASK, block_stride=stride)
            yield Command(op, Dtype.B16, base=0, mask=1, block_stride=stride, repeat_stride=stride)
            yield Command(op, Dtype.B32, base=0, mask=1 << 224, block_stride=stride)
        for mask in (0, FULL_MASK):
            yield Command(op, Dtype.B64, base=0, mask=mask)
            yield Command(op, Dtype.B64, base=1, mask=mask)
            yield Command(op, Dtype.B32, base=31, mask=mask)
        for bit in range(BLOCK_BYTES.bit_length() - 1):
            yield Command(op, Dtype.B32, base=1 << bit, mask=FULL_MASK)
        # Errors of the command are blamed on no lane, also where the first active one has a fault too.
        yield Command(op, Dtype.B32, base=31, mask=FULL_MASK << 32 & FULL_MASK)
        yield Command(op, Dtype.B64, base=ub_bytes, mask=FULL_MASK << 32 & FULL_MASK)


def far_addresses(stride_limit: int) -> Iterator[Command]:
    """Each lane alone at 32 * 2^k * (lane + 1), up to the largest k: no bit may be lost on the way."""
    for lane in range(LANES):
        for power in range(stride_limit.bit_length()):
            stride = min(1 << power, stride_limit - 1)
            yield Command(
                Op.LOADALIGN_POST_NORMAL,
                Dtype.B8,
                base=BLOCK_BYTES * (lane + 1) * ((1 << power) - stride),
                mask=0xFF << 32 * lane,
                block_stride=stride,
                repeat_stride=stride,
            )


@load_unit_test
@proves("LA-14", "FA-3", "FA-9", "FA-12", "FA-13", "FA-15")
async def every_fault_in_every_lane(bench: LoadUnitBench) -> None:
    """Each fault is reported as specified, exactly once, and leaves the next command alone."""
    await bench.fill_everything()
    bench.accept_responses()
    good = Command(Op.GATHERB, Dtype.B32, base=0, mask=FULL_MASK)
    gathers = list(gather_faults(bench.ub_bytes))
    strided = list(strided_faults(bench.ub_bytes, bench.stride_limit))
    far = list(far_addresses(bench.stride_limit))
    far += one_bit_out_of_range(bench.ub_bytes, bench.stride_limit)
    far += others_out_of_range(bench.ub_bytes)
    far += [*one_bit_misaligned(), *highest_addresses(bench.stride_limit)]
    for command in gathers + strided + far:
        bench.send(command)
        bench.send(good)
    await bench.drain()
    seen = {find_fault(command, bench.ub_bytes) for command in gathers}
    kinds = {(fault.kind, fault.lane) for fault in seen}
    for kind in (FaultKind.MISALIGNED_INDEX, FaultKind.OUT_OF_RANGE):
        assert {lane for k, lane in kinds if k is kind} == set(range(LANES)), f"{kind.name} missed"
