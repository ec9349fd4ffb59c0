"""The call examples of the reference documents, run on the model."""

import struct

import pytest
from numpy.random import default_rng

from model import (
    Command,
    Dtype,
    Op,
    Store,
    UnifiedBuffer,
    gather_b_program,
    load_align_program,
    run,
)

UB_BYTES = 1 << 16
SOURCE, INDICES, DESTINATION = 0x0, 0x4000, 0x8000
REPEATS = 6


@pytest.fixture
def buffer() -> UnifiedBuffer:
    buffer = UnifiedBuffer(UB_BYTES)
    buffer.load(default_rng(0).bytes(UB_BYTES))
    return buffer


@pytest.mark.proves("GB-3", "GB-8", "GB-11", "MK-10")
@pytest.mark.parametrize("dtype", Dtype, ids=lambda dtype: dtype.name)
def test_the_gather_example_stores_eight_indexed_blocks_per_repeat(buffer, dtype):
    one_repeat_size = 256 // dtype.element_bytes
    rng = default_rng(1)
    blocks = rng.integers(512, size=(REPEATS, 8)).tolist()
    for repeat, numbers in enumerate(blocks):
        # What follows the eight indices stays random: GatherB must not look at it.
        offsets = struct.pack("<8I", *(32 * number for number in numbers))
        buffer.fill(INDICES + 4 * one_repeat_size * repeat, offsets)
    before = bytes(buffer.contents)

    run(
        buffer,
        gather_b_program(dtype, DESTINATION, SOURCE, INDICES, one_repeat_size, REPEATS),
    )

    gathered = b"".join(
        before[32 * number : 32 * number + 32] for numbers in blocks for number in numbers
    )
    assert len(gathered) == 256 * REPEATS
    after = before[:DESTINATION] + gathered + before[DESTINATION + len(gathered) :]
    assert buffer.contents == after


@pytest.mark.proves("LA-5", "LA-7", "LA-16")
@pytest.mark.parametrize("dtype", [Dtype.B8, Dtype.B16, Dtype.B32], ids=lambda dtype: dtype.name)
def test_the_load_example_copies_and_moves_both_addresses_by_8i_blocks(buffer, dtype):
    before = bytes(buffer.contents)

    run(buffer, load_align_program(dtype, DESTINATION, SOURCE, REPEATS))

    # Repeat strides 0, 8, 16, ...: repeats start at registers 0, 0, 1, 3, 6, 10 of 256 bytes.
    expected = bytearray(before)
    for register in (0, 0, 1, 3, 6, 10):
        copied = before[SOURCE + 256 * register : SOURCE + 256 * register + 256]
        expected[DESTINATION + 256 * register : DESTINATION + 256 * register + 256] = copied
    assert buffer.contents == expected


@pytest.mark.proves("LA-16")
def test_the_load_example_issues_post_updates_with_repeat_strides_0_8_16(buffer):
    program = load_align_program(Dtype.B32, DESTINATION, SOURCE, 3)
    issued, replies = [], []

    def recorded():
        reply = None
        while True:
            try:
                step = program.send(reply)
            except StopIteration:
                return
            issued.append(step)
            reply = yield step
            replies.append(reply)

    run(buffer, recorded())
    loads = [step for step in issued if isinstance(step, Command)]
    assert [(load.op, load.block_stride, load.repeat_stride) for load in loads] == [
        (Op.LOADALIGN_POST_UPDATE, 1, 0),
        (Op.LOADALIGN_POST_UPDATE, 1, 8),
        (Op.LOADALIGN_POST_UPDATE, 1, 16),
    ]
    assert [reply.base for reply in replies if reply] == [0, 256, 256 + 512]
    assert len([step for step in issued if isinstance(step, Store)]) == 3 * 8


def test_no_repeats_issue_nothing():
    assert list(load_align_program(Dtype.B32, 0, 0, repeat_times=0)) == []
    assert list(gather_b_program(Dtype.B32, 0, 0, 0, 64, repeat_times=0)) == []


def test_a_store_outside_the_buffer_is_refused(buffer):
    with pytest.raises(ValueError, match="the program stores to 0x10000"):
        run(buffer, load_align_program(Dtype.B32, UB_BYTES, 0, 1))
