"""Coverage of single commands: masks, conflicts, duplicates and strides."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from coverage_examples import (
    ADDRESS_SPACE,
    DESIGN,
    FAULTY,
    FULL,
    GATHERB,
    GROUPS,
    LOADALIGN,
    POST_NORMAL,
    POST_UPDATE,
    SMALLEST,
    gather,
    hits,
    load,
    observe,
)

from model import BLOCK_BYTES, LANES, Command, Dtype
from tb.coverage import Design


def test_masks_are_counted_by_what_they_select() -> None:
    some = 1 << 4 | 1 << 8
    commands = [
        Command(GATHERB, Dtype.B64, 0, 0),
        Command(GATHERB, Dtype.B8, 0, 0b1110),
        Command(GATHERB, Dtype.B8, 0, some),
        Command(LOADALIGN, Dtype.B8, 0, some),
        Command(LOADALIGN, Dtype.B16, 0, 0b10),
        Command(POST_NORMAL, Dtype.B32, 0, FULL),
        Command(POST_UPDATE, Dtype.B64, 0, FULL),
        Command(POST_UPDATE, Dtype.B64, 0, 0),
    ]
    assert hits("masks", observe(commands)) == {
        "GATHERB x b64 x no bit set": 1,
        "GATHERB x b8 x only bits that do not count": 1,
        "GATHERB x b8 x some lanes": 1,
        "LOADALIGN x b8 x one lane": 1,
        "LOADALIGN x b16 x only bits that do not count": 1,
        "LOADALIGN_POST_NORMAL x b32 x eight lanes": 1,
        "LOADALIGN_POST_UPDATE x b64 x only bits that do not count": 1,
        "LOADALIGN_POST_UPDATE x b64 x no bit set": 1,
    }


def test_masks_that_a_type_does_not_have_are_no_bins() -> None:
    bins = GROUPS["masks"].bins(DESIGN)
    # Of 4 ops, 4 types and 5 masks each load leaves three of b64 and one of b8.
    assert len(bins) == 4 * 4 * 5 - 3 * (3 + 1)
    assert "LOADALIGN x b8 x only bits that do not count" not in bins
    assert "LOADALIGN x b64 x one lane" not in bins
    assert "GATHERB x b64 x eight lanes" in bins


def test_conflicts_are_counted_without_the_commands_that_fault() -> None:
    commands = [
        gather(),
        gather(0, 0, 0),
        gather(0, 4 * 32, 8 * 32),
        load(0, 0, 1, 2, 3, stride=4),
        load(0, *range(8)),
        load(0, 7),
        FAULTY,
    ]
    assert hits("conflicts", observe(commands)) == {
        "GatherB x D = 0": 1,
        "GatherB x D = 1": 1,
        "GatherB x D = 3": 1,
        "LoadAlign x D = 4": 1,
        "LoadAlign x D = 2": 1,
        "LoadAlign x D = 1": 1,
    }


def largest_degree_of_loads(design: Design) -> int:
    """By trying every stride up to one row and more, from block 0 on."""
    largest = 0
    for stride in range(min(design.largest_stride, 2 * design.banks) + 1):
        blocks = {stride * lane for lane in range(LANES) if stride * lane < design.blocks}
        largest = max(largest, *Counter(block % design.banks for block in blocks).values())
    return largest


def test_a_design_reaches_as_many_conflicts_as_its_banks_rows_and_strides_give() -> None:
    sets = product((1, 2, 4, 8, 16, 64), (2, 4, 8, 16), (1, 2, 3, 4, 5, 7, 8))
    for banks, rows, stride_w in sets:
        design = Design(banks * rows * BLOCK_BYTES, banks, 1, stride_w)
        loads = range(1 + largest_degree_of_loads(design))
        assert GROUPS["conflicts"].bins(design) == (
            *(f"GatherB x D = {degree}" for degree in range(1 + min(rows, LANES))),
            *(f"LoadAlign x D = {degree}" for degree in loads),
        ), design


def test_duplicates_are_counted_by_blocks_and_lanes() -> None:
    commands = [
        gather(64),
        gather(64, 64),
        gather(64, 96),
        gather(0, 32, 64, 0),
        gather(0, 32, 0, 32, 32),
        gather(*[96] * 8),
        gather(*range(0, 256, 32)),
        gather(*range(0, 224, 32), 0),
        gather(),
        gather(1),
        load(0, 0, 1),
    ]
    assert hits("duplicates", observe(commands)) == {
        "1 block x 1 lane": 1,
        "1 block x 2 lanes": 1,
        "2 blocks x 2 lanes": 1,
        "3 to 7 blocks x 3 to 7 lanes": 1,
        "2 blocks x 3 to 7 lanes": 1,
        "1 block x 8 lanes": 1,
        "8 blocks x 8 lanes": 1,
        "3 to 7 blocks x 8 lanes": 1,
    }


def test_no_more_blocks_are_wanted_than_there_are() -> None:
    assert GROUPS["duplicates"].bins(SMALLEST) == (
        "1 block x 1 lane",
        "1 block x 2 lanes",
        "1 block x 3 to 7 lanes",
        "1 block x 8 lanes",
        "2 blocks x 2 lanes",
        "2 blocks x 3 to 7 lanes",
        "2 blocks x 8 lanes",
    )


def test_block_strides_are_counted_where_they_matter() -> None:
    strides = [0, 1, 3, 2, 64, 6, 65535, 65536]
    commands = [load(0, 0, stride=stride) for stride in strides]
    commands += [load(0, 7, stride=65536), load(4096, 0, stride=0), load(1, 0, stride=5)]
    commands += [gather(0)]
    assert hits("block strides", observe(commands)) == {
        "stride 0 x good": 1,
        "stride 0 x OUT_OF_RANGE": 1,
        "stride 1 x good": 1,
        "odd from 3 on x good": 2,
        "power of two from 2 on x good": 2,
        "other even x good": 1,
        "above 16 bits x good": 1,
        "above 16 bits x OUT_OF_RANGE": 1,
    }


def test_repeat_strides_are_counted_where_they_matter() -> None:
    last = ADDRESS_SPACE - BLOCK_BYTES
    commands = [
        load(0, 0, op=POST_NORMAL, repeat=0),
        load(0, 0, op=POST_NORMAL, repeat=65536),
        load(last, 0, op=POST_NORMAL, repeat=1),
        load(0, 0, op=POST_UPDATE, repeat=1),
        load(0, 0, op=POST_UPDATE, repeat=65535),
        load(0, 0, op=POST_UPDATE, repeat=65536),
        load(last, op=POST_UPDATE, repeat=1),
        load(last, op=POST_UPDATE, repeat=0),
        load(last, 0, op=POST_UPDATE, repeat=1),
        load(0, 0, op=LOADALIGN, repeat=1),
    ]
    assert hits("repeat strides", observe(commands)) == {
        "LOADALIGN_POST_NORMAL x repeat 0": 1,
        "LOADALIGN_POST_NORMAL x above 16 bits": 1,
        "LOADALIGN_POST_NORMAL x base beyond 2^32": 1,
        "LOADALIGN_POST_UPDATE x repeat 0": 1,
        "LOADALIGN_POST_UPDATE x repeat 1": 1,
        "LOADALIGN_POST_UPDATE x larger": 1,
        "LOADALIGN_POST_UPDATE x above 16 bits": 1,
        "LOADALIGN_POST_UPDATE x base beyond 2^32": 1,
    }


@pytest.mark.parametrize(
    "stride_w, block_strides, repeat_strides",
    [(1, 2, 3), (2, 4, 4), (3, 5, 4), (16, 5, 4), (17, 6, 5)],
)
def test_strides_have_the_bins_that_their_width_allows(
    stride_w: int, block_strides: int, repeat_strides: int
) -> None:
    design = replace(DESIGN, stride_w=stride_w)
    assert len(GROUPS["block strides"].bins(design)) == 2 * block_strides
    assert len(GROUPS["repeat strides"].bins(design)) == 2 * repeat_strides
