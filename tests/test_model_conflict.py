"""D, the cycles that the banks need for a command."""

import pytest

from model import Command, Dtype, MaskPattern, Op, conflict_degree, create_mask

UB_BYTES = 1 << 20
ALL = (1 << 256) - 1


def strided(block_stride: int, mask: int = ALL) -> Command:
    return Command(Op.LOADALIGN, Dtype.B32, 0, mask, block_stride)


def gathered(*blocks: int, mask: int = ALL) -> Command:
    return Command(Op.GATHERB, Dtype.B32, 0, mask, index=tuple(32 * block for block in blocks))


@pytest.mark.proves("ST-5", "CY-2")
@pytest.mark.parametrize("banks", [8, 16, 32, 64])
@pytest.mark.parametrize("stride", [0, 1, 3, 5, 17, 145])
def test_stride_0_and_odd_strides_have_no_conflict_from_8_banks_on(banks, stride):
    assert conflict_degree(strided(stride), banks, UB_BYTES) == 1


@pytest.mark.proves("ST-5", "CY-1")
@pytest.mark.parametrize(
    ("stride", "degrees"),
    [(2, (2, 1, 1)), (4, (4, 2, 1)), (8, (8, 4, 2)), (16, (8, 8, 4)), (144, (8, 8, 4))],
)
def test_even_strides_conflict_by_the_factor_that_they_share_with_the_banks(stride, degrees):
    assert tuple(conflict_degree(strided(stride), b, UB_BYTES) for b in (8, 16, 32)) == degrees


@pytest.mark.proves("ST-5", "CY-1")
def test_with_one_bank_every_distinct_block_takes_its_own_cycle():
    assert conflict_degree(strided(1), 1, UB_BYTES) == 8
    assert conflict_degree(strided(0), 1, UB_BYTES) == 1
    assert conflict_degree(gathered(0, 0, 1, 1, 2, 2, 3, 3), 1, UB_BYTES) == 4


@pytest.mark.proves("ST-5", "CY-1", "CY-2")
def test_lanes_that_want_the_same_block_share_one_read():
    assert conflict_degree(gathered(5, 5, 5, 5, 5, 5, 5, 5), 16, UB_BYTES) == 1
    assert conflict_degree(gathered(0, 16, 0, 16, 0, 16, 1, 1), 16, UB_BYTES) == 2


@pytest.mark.proves("ST-5", "CY-1")
def test_only_active_lanes_count():
    two_blocks = create_mask(Dtype.B32, MaskPattern.VL16)
    assert conflict_degree(strided(16, two_blocks), 16, UB_BYTES) == 2
    assert conflict_degree(gathered(0, 16, 32, 1, 1, 1, 1, 1, mask=0b10001), 16, UB_BYTES) == 2


@pytest.mark.proves("CY-2")
def test_a_command_that_reads_nothing_has_degree_0():
    assert conflict_degree(strided(1, mask=0), 16, UB_BYTES) == 0
    assert conflict_degree(strided(UB_BYTES), 16, UB_BYTES) == 0
    assert conflict_degree(Command(Op.LOADALIGN, Dtype.B64, 0, ALL), 16, UB_BYTES) == 0
    assert conflict_degree(Command(Op.GATHERB, Dtype.B8, 1, ALL), 16, UB_BYTES) == 0
