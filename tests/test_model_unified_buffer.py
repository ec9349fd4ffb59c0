"""The Unified Buffer of the model."""

import pytest

from model import UnifiedBuffer

BLOCK = bytes(range(32))


@pytest.mark.proves("ST-1", "ST-4")
def test_a_fill_writes_one_block_and_marks_only_that_block_as_written():
    buffer = UnifiedBuffer(262144)
    assert buffer.ub_bytes == 262144
    assert len(buffer.written) == 8192
    assert buffer.fill(96, BLOCK)
    assert buffer.block(96) == BLOCK
    assert buffer.contents.count(0) == 262144 - 31
    assert [number for number, written in enumerate(buffer.written) if written] == [3]


@pytest.mark.proves("ST-1", "ST-4")
@pytest.mark.parametrize("address", [1, 31, 33, 1024, 1024 + 32, 1 << 31])
def test_a_fill_that_is_misaligned_or_out_of_range_is_dropped(address):
    buffer = UnifiedBuffer(1024)
    assert not buffer.fill(address, BLOCK)
    assert not any(buffer.contents)
    assert not any(buffer.written)


@pytest.mark.proves("ST-4")
def test_the_last_block_can_be_filled():
    buffer = UnifiedBuffer(1024)
    assert buffer.fill(1024 - 32, BLOCK)
    assert buffer.block(1024 - 32) == BLOCK


def test_a_load_sets_the_whole_buffer_with_zeros_after_the_contents():
    buffer = UnifiedBuffer(128)
    buffer.fill(96, BLOCK)
    buffer.load(BLOCK * 2)
    assert buffer.contents == BLOCK * 2 + bytes(64)
    assert all(buffer.written)


def test_contents_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="160 bytes do not fit in a Unified Buffer of 128 bytes"):
        UnifiedBuffer(128).load(bytes(160))


@pytest.mark.parametrize("size", [0, -32, 33])
def test_a_buffer_that_is_not_a_number_of_blocks_is_refused(size):
    with pytest.raises(ValueError, match=f"ub_bytes is {size};"):
        UnifiedBuffer(size)


@pytest.mark.parametrize("address", [-32, 1, 128])
def test_an_address_without_a_block_cannot_be_read(address):
    with pytest.raises(ValueError, match="is not a DataBlock"):
        UnifiedBuffer(128).block(address)


def test_a_fill_of_another_size_is_refused():
    with pytest.raises(ValueError, match="a fill of 31 bytes"):
        UnifiedBuffer(128).fill(0, bytes(31))
