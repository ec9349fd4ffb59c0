"""LoadAlign on fault-free commands."""

import pytest
from numpy.random import default_rng

from model import (
    Command,
    Dtype,
    MaskPattern,
    Op,
    UnifiedBuffer,
    create_mask,
    execute,
    lane_addresses,
    load_align,
)

UB_BYTES = 32 * 256
ALL = (1 << 256) - 1
LOAD_OPS = [Op.LOADALIGN, Op.LOADALIGN_POST_NORMAL, Op.LOADALIGN_POST_UPDATE]

every_load = pytest.mark.parametrize("op", LOAD_OPS, ids=lambda op: op.name)
every_dtype = pytest.mark.parametrize(
    "dtype", [Dtype.B8, Dtype.B16, Dtype.B32], ids=lambda dtype: dtype.name
)


@pytest.fixture(scope="module")
def buffer() -> UnifiedBuffer:
    buffer = UnifiedBuffer(UB_BYTES)
    buffer.load(default_rng(0).bytes(UB_BYTES))
    return buffer


def blocks(buffer: UnifiedBuffer, numbers) -> bytes:
    return b"".join(buffer.block(32 * number) for number in numbers)


@pytest.mark.proves("LA-1", "LA-3", "LA-7", "LA-13", "LA-14", "FA-16")
@every_dtype
@pytest.mark.parametrize("stride", [1, 2, 3, 8, 16, 33])
def test_eight_blocks_a_stride_apart_are_loaded(buffer, dtype, stride):
    response = load_align(buffer, Command(Op.LOADALIGN, dtype, 32 * 5, ALL, stride))
    assert response.data == blocks(buffer, [5 + stride * lane for lane in range(8)])
    assert response.block_we == 0xFF
    assert response.base == 32 * 5
    assert (response.fault.kind, response.fault.lane, response.fault.address) == (0, 0, 0)


@pytest.mark.proves("LA-2")
@every_load
def test_stride_0_loads_the_first_block_eight_times(buffer, op):
    assert load_align(buffer, Command(op, Dtype.B32, 96, ALL)).data == buffer.block(96) * 8


@pytest.mark.proves("LA-3", "PT-9")
def test_load_align_ignores_the_repeat_stride_and_keeps_the_base(buffer):
    response = load_align(buffer, Command(Op.LOADALIGN, Dtype.B32, 64, ALL, 1, (1 << 32) - 1))
    assert response.data == blocks(buffer, range(2, 10))
    assert response.base == 64


@pytest.mark.proves("LA-4", "LA-7")
@every_dtype
def test_post_normal_starts_repeat_stride_blocks_on_and_keeps_the_base(buffer, dtype):
    response = load_align(buffer, Command(Op.LOADALIGN_POST_NORMAL, dtype, 64, ALL, 3, 10))
    assert response.data == blocks(buffer, range(12, 12 + 24, 3))
    assert response.base == 64


@pytest.mark.proves("LA-5", "LA-7")
@every_dtype
def test_post_update_starts_at_the_base_and_moves_it_repeat_stride_blocks_on(buffer, dtype):
    response = load_align(buffer, Command(Op.LOADALIGN_POST_UPDATE, dtype, 64, ALL, 3, 10))
    assert response.data == blocks(buffer, range(2, 2 + 24, 3))
    assert response.base == 64 + 320


@pytest.mark.proves("LA-5", "LA-7")
@pytest.mark.parametrize(
    ("base", "repeat_stride", "after"),
    [
        (0, (1 << 27) - 1, (1 << 32) - 32),
        (0, 1 << 27, 0),
        (64, (1 << 27) - 1, 32),
        (64, (1 << 32) - 1, 32),
        (0, 1 << 31, 0),
    ],
)
def test_the_post_update_is_modulo_2_to_the_32(buffer, base, repeat_stride, after):
    command = Command(Op.LOADALIGN_POST_UPDATE, Dtype.B8, base, ALL, 1, repeat_stride)
    response = load_align(buffer, command)
    assert response.data == blocks(buffer, range(base // 32, base // 32 + 8))
    assert response.base == after


@pytest.mark.proves("LA-5", "LA-10", "LA-13", "LA-15")
@every_load
def test_with_every_block_inactive_the_data_are_zero_and_a_post_update_still_happens(buffer, op):
    response = load_align(buffer, Command(op, Dtype.B32, 64, 0, 1, 10))
    assert response.data == bytes(256)
    assert response.block_we == 0xFF
    assert response.base == (64 + 320 if op is Op.LOADALIGN_POST_UPDATE else 64)
    assert response.fault.kind == 0


@pytest.mark.proves("LA-8", "LA-9", "LA-10", "LA-13", "MK-9")
@every_load
@every_dtype
def test_one_significant_mask_bit_loads_its_whole_block_and_no_other(buffer, op, dtype):
    for bit in range(256):
        response = load_align(buffer, Command(op, dtype, 0, 1 << bit, 2))
        expected = bytearray(256)
        if bit % dtype.element_bytes == 0:
            lane = bit // 32
            expected[32 * lane : 32 * lane + 32] = buffer.block(64 * lane)
        assert response.data == expected
        assert response.block_we == 0xFF


@pytest.mark.proves("LA-10", "LA-12", "FA-5")
@every_load
def test_an_inactive_block_may_be_out_of_range(buffer, op):
    last = UB_BYTES - 32
    response = load_align(buffer, Command(op, Dtype.B8, last, 1, (1 << 32) - 1))
    assert response.fault.kind == 0
    assert response.data == buffer.block(last) + bytes(224)


@pytest.mark.proves("LA-14")
def test_b64_is_the_only_type_that_a_load_refuses(buffer):
    kinds = [load_align(buffer, Command(Op.LOADALIGN, d, 0, ALL, 1)).fault.kind for d in Dtype]
    assert [kind.name for kind in kinds] == ["NONE", "NONE", "NONE", "ILLEGAL_DTYPE"]


@pytest.mark.proves("LA-1", "PT-9")
@every_load
def test_a_load_ignores_the_index(buffer, op):
    plain = Command(op, Dtype.B32, 0, ALL, 1)
    indexed = Command(op, Dtype.B32, 0, ALL, 1, index=((1 << 32) - 1,) * 8)
    assert execute(buffer, indexed) == execute(buffer, plain)


@pytest.mark.proves("LA-1", "LA-4", "FA-9")
def test_addresses_are_full_width():
    largest = (1 << 32) - 1
    command = Command(Op.LOADALIGN_POST_NORMAL, Dtype.B32, largest, ALL, largest, largest)
    assert lane_addresses(command)[7] == largest + 32 * largest + 7 * 32 * largest
    assert lane_addresses(command)[7].bit_length() == 41


@pytest.mark.proves("LA-9")
def test_a_tail_mask_loads_whole_blocks(buffer):
    command = Command(Op.LOADALIGN, Dtype.B16, 0, create_mask(Dtype.B16, MaskPattern.M3), 1)
    assert load_align(buffer, command).data == buffer.contents[:256]


def test_load_align_refuses_a_gather(buffer):
    with pytest.raises(ValueError, match="load_align runs the three LOADALIGN ops only"):
        load_align(buffer, Command(Op.GATHERB, Dtype.B32, 0, 0))
