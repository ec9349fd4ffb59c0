"""The values and encodings of the model."""

import dataclasses

import pytest

from model import (
    BLOCK_BYTES,
    LANES,
    MASK_BITS,
    NO_FAULT,
    REGISTER_BYTES,
    Command,
    Dtype,
    Fault,
    FaultKind,
    Op,
)

GOOD = Command(Op.GATHERB, Dtype.B32, base=0, mask=0)


@pytest.mark.proves("ST-1", "ST-2", "ST-3")
def test_a_register_is_eight_blocks_of_32_bytes_with_one_mask_bit_per_byte():
    assert (BLOCK_BYTES, LANES, REGISTER_BYTES, MASK_BITS) == (32, 8, 256, 256)


@pytest.mark.proves("LA-3", "LA-4", "LA-5", "LA-6", "PT-14")
def test_ops_are_numbered_as_the_specification_numbers_them():
    assert [(op.value, op.name) for op in Op] == [
        (0, "GATHERB"),
        (1, "LOADALIGN"),
        (2, "LOADALIGN_POST_NORMAL"),
        (3, "LOADALIGN_POST_UPDATE"),
    ]


@pytest.mark.proves("MK-6", "PT-14")
def test_data_types_are_numbered_by_size():
    assert [(dtype.value, dtype.name, dtype.element_bytes) for dtype in Dtype] == [
        (0, "B8", 1),
        (1, "B16", 2),
        (2, "B32", 4),
        (3, "B64", 8),
    ]


@pytest.mark.proves("FA-16", "FA-17")
def test_faults_are_numbered_as_the_specification_numbers_them():
    assert [(kind.value, kind.name) for kind in FaultKind] == [
        (0, "NONE"),
        (1, "ILLEGAL_DTYPE"),
        (2, "MISALIGNED_BASE"),
        (3, "MISALIGNED_INDEX"),
        (4, "OUT_OF_RANGE"),
    ]
    assert NO_FAULT == Fault(FaultKind.NONE, lane=0, address=0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base", -1),
        ("base", 1 << 32),
        ("base", 1.0),
        ("mask", -1),
        ("mask", 1 << 256),
        ("block_stride", 1 << 32),
        ("repeat_stride", -1),
        ("index", (0,) * 7),
        ("index", (0,) * 9),
        ("index", [0] * 8),
        ("index", (0, 0, 0, 1 << 32, 0, 0, 0, 0)),
    ],
)
def test_a_command_that_no_port_can_carry_is_refused_by_the_name_of_the_field(field, value):
    with pytest.raises(ValueError, match=rf"^{field}\b"):
        dataclasses.replace(GOOD, **{field: value})


@pytest.mark.parametrize("field", ["op", "dtype"])
def test_a_bare_number_is_refused_as_an_encoding(field):
    with pytest.raises(TypeError, match=f"^{field} is 1;"):
        dataclasses.replace(GOOD, **{field: 1})


@pytest.mark.proves("GB-2", "LA-7")
def test_the_largest_command_is_accepted():
    largest = (1 << 32) - 1
    command = Command(
        Op.LOADALIGN_POST_UPDATE,
        Dtype.B64,
        largest,
        (1 << 256) - 1,
        largest,
        largest,
        (largest,) * 8,
    )
    assert command.index[7] == command.block_stride == command.repeat_stride == largest
