"""Mask registers, against the elements that the specification lists."""

import pytest

from model import Dtype, MaskPattern, Op, active_lanes, create_mask, update_mask

ELEMENTS = {Dtype.B8: 256, Dtype.B16: 128, Dtype.B32: 64, Dtype.B64: 32}
LOAD_OPS = [Op.LOADALIGN, Op.LOADALIGN_POST_NORMAL, Op.LOADALIGN_POST_UPDATE]
LOAD_DTYPES = [Dtype.B8, Dtype.B16, Dtype.B32]

every_dtype = pytest.mark.parametrize("dtype", Dtype, ids=lambda dtype: dtype.name)


def selected(dtype: Dtype, mask: int) -> list[int]:
    """The elements whose low bit is set; fails when any other bit is set."""
    bits = [bit for bit in range(256) if mask >> bit & 1]
    size = 256 // ELEMENTS[dtype]
    assert mask < 1 << 256
    assert all(bit % size == 0 for bit in bits)
    return [bit // size for bit in bits]


@pytest.mark.proves("MK-1", "MK-2", "MK-6", "ST-3")
@every_dtype
def test_all_selects_every_element_and_allf_none(dtype):
    assert selected(dtype, create_mask(dtype, MaskPattern.ALL)) == list(range(ELEMENTS[dtype]))
    assert create_mask(dtype, MaskPattern.ALLF) == 0


@pytest.mark.proves("MK-1", "MK-3")
@every_dtype
@pytest.mark.parametrize("n", [1, 2, 3, 4, 8, 16, 32, 64, 128])
def test_vl_selects_the_lowest_n_elements_or_all_where_there_are_fewer(dtype, n):
    mask = create_mask(dtype, MaskPattern[f"VL{n}"])
    assert selected(dtype, mask) == list(range(ELEMENTS[dtype]))[:n]


@pytest.mark.proves("MK-1", "MK-4")
@every_dtype
@pytest.mark.parametrize("n", [3, 4])
def test_m3_and_m4_select_the_multiples(dtype, n):
    mask = create_mask(dtype, MaskPattern[f"M{n}"])
    assert selected(dtype, mask) == [e for e in range(ELEMENTS[dtype]) if e % n == 0]


@pytest.mark.proves("MK-1", "MK-5")
@every_dtype
def test_h_and_q_select_the_lowest_half_and_quarter(dtype):
    elements = list(range(ELEMENTS[dtype]))
    assert selected(dtype, create_mask(dtype, MaskPattern.H)) == elements[: len(elements) // 2]
    assert selected(dtype, create_mask(dtype, MaskPattern.Q)) == elements[: len(elements) // 4]


def test_there_is_no_other_pattern():
    assert {pattern.name for pattern in MaskPattern} == {
        *("ALL", "ALLF", "H", "Q", "M3", "M4"),
        *(f"VL{n}" for n in (1, 2, 3, 4, 8, 16, 32, 64, 128)),
    }


@pytest.mark.proves("MK-7", "MK-8")
@every_dtype
def test_update_mask_selects_the_first_n_and_lowers_n_by_as_many(dtype):
    elements = ELEMENTS[dtype]
    for count in [0, 1, 7, elements - 1, elements, elements + 1, 3 * elements + 5, 1 << 40]:
        mask, remaining = update_mask(dtype, count)
        assert selected(dtype, mask) == list(range(min(count, elements)))
        assert remaining == max(0, count - elements)


@pytest.mark.proves("MK-8")
def test_a_loop_of_update_mask_visits_every_element_once():
    remaining, visited, steps = 150, 0, 0
    while remaining:
        mask, remaining = update_mask(Dtype.B32, remaining)
        visited += mask.bit_count()
        steps += 1
    assert (visited, steps) == (150, 3)


def test_update_mask_refuses_a_negative_count():
    with pytest.raises(ValueError, match="count is -1"):
        update_mask(Dtype.B8, -1)


@pytest.mark.proves("GB-5", "GB-7")
@every_dtype
def test_gather_block_i_is_active_when_bit_4i_is_set_whatever_the_type(dtype):
    for pattern in range(256):
        mask = sum(1 << 4 * lane for lane in range(8) if pattern >> lane & 1)
        assert active_lanes(Op.GATHERB, dtype, mask) == pattern


@pytest.mark.proves("GB-6", "MK-9")
@every_dtype
def test_gather_ignores_every_other_mask_bit(dtype):
    for bit in range(256):
        expected = 1 << bit // 4 if bit in range(0, 32, 4) else 0
        assert active_lanes(Op.GATHERB, dtype, 1 << bit) == expected


@pytest.mark.proves("LA-8", "MK-9")
@pytest.mark.parametrize("op", LOAD_OPS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", LOAD_DTYPES, ids=lambda dtype: dtype.name)
def test_load_align_looks_at_the_lowest_bit_of_each_element_only(op, dtype):
    for bit in range(256):
        expected = 1 << bit // 32 if bit % dtype.element_bytes == 0 else 0
        assert active_lanes(op, dtype, 1 << bit) == expected


@pytest.mark.proves("LA-8")
@pytest.mark.parametrize("dtype", LOAD_DTYPES, ids=lambda dtype: dtype.name)
def test_all_bits_but_the_significant_ones_activate_nothing(dtype):
    mask = ((1 << 256) - 1) & ~create_mask(dtype, MaskPattern.ALL)
    assert active_lanes(Op.LOADALIGN, dtype, mask) == 0


def test_a_load_align_of_b64_has_no_active_block():
    assert active_lanes(Op.LOADALIGN, Dtype.B64, (1 << 256) - 1) == 0


@pytest.mark.proves("MK-10")
def test_vl8_of_b32_activates_all_eight_blocks_of_a_gather():
    assert active_lanes(Op.GATHERB, Dtype.B8, create_mask(Dtype.B32, MaskPattern.VL8)) == 0xFF


@pytest.mark.proves("MK-11")
def test_vl8_of_b16_activates_only_blocks_0_to_3_of_a_gather():
    mask = create_mask(Dtype.B16, MaskPattern.VL8)
    assert mask == sum(1 << bit for bit in (0, 2, 4, 6, 8, 10, 12, 14))
    assert active_lanes(Op.GATHERB, Dtype.B16, mask) == 0b1111
