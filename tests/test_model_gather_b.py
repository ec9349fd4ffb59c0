"""GatherB on fault-free commands, against the Python of the reference."""

import numpy as np
import pytest

from model import (
    Command,
    Dtype,
    MaskPattern,
    Op,
    UnifiedBuffer,
    create_mask,
    execute,
    gather_b,
)

UB_BYTES = 32 * 256
ALL_BLOCKS = create_mask(Dtype.B32, MaskPattern.VL8)


def reference_gather_b(base_addr, index):
    """The data selection as the vendor's document defines it: a list of DataBlocks in and out."""
    data_block_size = 32
    dst_reg = []
    for offset in index[:8]:
        data_block_id = offset // data_block_size
        dst_reg.append(base_addr[data_block_id])
    return dst_reg


def random_buffer(seed: int) -> UnifiedBuffer:
    buffer = UnifiedBuffer(UB_BYTES)
    buffer.load(np.random.default_rng(seed).bytes(UB_BYTES))
    return buffer


def blocks_from(buffer: UnifiedBuffer, base: int) -> list[bytes]:
    return [buffer.block(address) for address in range(base, UB_BYTES, 32)]


@pytest.mark.proves("GB-1", "GB-2", "GB-7", "GB-8", "GB-9", "ST-2", "LA-6", "FA-16")
@pytest.mark.parametrize("dtype", Dtype, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("seed", range(3))
def test_the_data_are_those_of_the_reference_python(dtype, seed):
    rng = np.random.default_rng(seed)
    buffer = random_buffer(seed)
    for _ in range(300):
        base = 32 * int(rng.integers(200))
        index = tuple((32 * rng.integers((UB_BYTES - base) // 32, size=8)).tolist())
        response = gather_b(buffer, Command(Op.GATHERB, dtype, base, ALL_BLOCKS, index=index))
        assert response.data == b"".join(reference_gather_b(blocks_from(buffer, base), index))
        assert response.block_we == 0xFF
        assert response.base == base
        assert (response.fault.kind, response.fault.lane, response.fault.address) == (0, 0, 0)


@pytest.mark.proves("GB-1", "GB-8")
def test_the_worked_example_of_the_reference():
    buffer = random_buffer(0)
    index = (0 * 32, 1 * 32, 2 * 32, 3 * 32, 4 * 32, 5 * 32, 6 * 32, 32 * 32)
    response = gather_b(buffer, Command(Op.GATHERB, Dtype.B16, 64, ALL_BLOCKS, index=index))
    assert response.data == buffer.contents[64 : 64 + 224] + buffer.block(64 + 1024)


@pytest.mark.proves("GB-4")
@pytest.mark.parametrize("block", [0, 7, 255])
def test_one_block_may_be_gathered_eight_times(block):
    buffer = random_buffer(0)
    command = Command(Op.GATHERB, Dtype.B8, 0, ALL_BLOCKS, index=(32 * block,) * 8)
    assert gather_b(buffer, command).data == buffer.block(32 * block) * 8


@pytest.mark.proves("GB-2")
def test_a_large_offset_is_unsigned():
    buffer = random_buffer(0)
    command = Command(Op.GATHERB, Dtype.B8, 32, 1, index=((1 << 32) - 32,) + (0,) * 7)
    fault = gather_b(buffer, command).fault
    # A signed offset of -32 would be address 0.
    assert (fault.kind.name, fault.address) == ("OUT_OF_RANGE", 1 << 32)


@pytest.mark.proves("GB-5", "GB-9", "GB-10", "LA-6")
def test_an_inactive_block_is_zero_and_not_written():
    buffer = random_buffer(1)
    index = tuple(range(0, 256, 32))
    for pattern in range(256):
        mask = sum(1 << 4 * lane for lane in range(8) if pattern >> lane & 1)
        response = gather_b(buffer, Command(Op.GATHERB, Dtype.B32, 0, mask, index=index))
        assert response.block_we == pattern
        assert response.base == 0
        for lane in range(8):
            expected = buffer.block(32 * lane) if pattern >> lane & 1 else bytes(32)
            assert response.data[32 * lane : 32 * lane + 32] == expected


@pytest.mark.proves("GB-6", "GB-7", "MK-9")
@pytest.mark.parametrize("dtype", Dtype, ids=lambda dtype: dtype.name)
def test_mask_bits_that_do_not_count_change_nothing(dtype):
    buffer = random_buffer(2)
    index = tuple(range(32, 32 + 256, 32))
    noise = ((1 << 256) - 1) & ~ALL_BLOCKS
    for mask in [0, ALL_BLOCKS, 1 << 4, 1 << 28]:
        quiet = gather_b(buffer, Command(Op.GATHERB, Dtype.B32, 0, mask, index=index))
        noisy = gather_b(buffer, Command(Op.GATHERB, dtype, 0, mask | noise, index=index))
        assert noisy == quiet


@pytest.mark.proves("GB-1", "PT-9")
def test_a_gather_ignores_the_strides():
    buffer = random_buffer(3)
    largest = (1 << 32) - 1
    plain = Command(Op.GATHERB, Dtype.B32, 0, ALL_BLOCKS, index=(0, 64) * 4)
    strided = Command(Op.GATHERB, Dtype.B32, 0, ALL_BLOCKS, largest, largest, (0, 64) * 4)
    assert execute(buffer, strided) == execute(buffer, plain)


def test_gather_b_refuses_another_op():
    with pytest.raises(ValueError, match="gather_b runs GATHERB only"):
        gather_b(random_buffer(0), Command(Op.LOADALIGN, Dtype.B32, 0, 0))
