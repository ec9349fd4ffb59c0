"""Coverage of addresses: edges, widths, banks, and where fills go."""

from dataclasses import replace

import pytest
from coverage_examples import (
    ADDRESS_SPACE,
    DESIGN,
    GROUPS,
    POST_NORMAL,
    POST_UPDATE,
    SMALLEST,
    gather,
    hits,
    load,
    observe,
)

from model import BLOCK_BYTES
from tb.coverage import Design


def test_edges_are_counted_by_lane() -> None:
    commands = [
        gather(32, 0, 4096 - 32),
        gather(0, 4096, 4096),  # lane 1 is blamed, lane 2 is not
        gather(0, 4096 + 32),
        load(4096 - 64, 1, 2),
        load(0, 3, stride=0),
    ]
    assert hits("edges", observe(commands)) == {
        "GatherB x first block x lane 1": 1,
        "GatherB x last block x lane 2": 1,
        "GatherB x first past the end x lane 1": 1,
        "LoadAlign x first past the end x lane 2": 1,
        "LoadAlign x first block x lane 3": 1,
    }


def test_addresses_beyond_32_bits_are_counted_by_where_they_would_wrap_to() -> None:
    last = ADDRESS_SPACE - BLOCK_BYTES
    commands = [
        gather(4096),
        gather(32, base=last),
        gather(4096 + 32, base=last),
        load(last, 1),
        load(last, 1, stride=129),
        load(last, 0, op=POST_NORMAL, repeat=1),
        load(last, 0, op=POST_UPDATE, repeat=1),
        gather(0),
    ]
    beyond, inside = "from 2^32 on, outside modulo 2^32 too", "from 2^32 on, inside modulo 2^32"
    assert hits("address widths", observe(commands)) == {
        "GATHERB x below 2^32": 1,
        f"GATHERB x {inside}": 1,
        f"GATHERB x {beyond}": 1,
        f"LOADALIGN x {inside}": 1,
        f"LOADALIGN x {beyond}": 1,
        f"LOADALIGN_POST_NORMAL x {inside}": 1,
        "LOADALIGN_POST_UPDATE x below 2^32": 1,
    }


@pytest.mark.parametrize("blocks, loads", [(4, 3), (7, 1), (8, 0)])
def test_strides_of_one_bit_pass_few_blocks_beyond_32_bits(blocks: int, loads: int) -> None:
    # From 2^32 - 32 on, lane 7 is 6 blocks beyond 2^32, with a repeat stride of 1 it is 7.
    design = Design(blocks * BLOCK_BYTES, 1, 1, 1)
    bins = GROUPS["address widths"].bins(design)
    assert sum("LOADALIGN" in name and "outside modulo" in name for name in bins) == loads


def test_banks_are_counted_by_the_lanes_that_read_them() -> None:
    commands = [gather(0, 5 * 32, 2 * 32), load(3 * 32, 0, 7), gather(1)]
    assert hits("banks", observe(commands)) == {
        "lane 0 x bank 0": 1,
        "lane 1 x bank 1": 1,
        "lane 2 x bank 2": 1,
        "lane 0 x bank 3": 1,
        "lane 7 x bank 2": 1,
    }
    many = replace(DESIGN, banks=64)
    assert len(GROUPS["banks"].bins(many)) == 8 * 16
    assert hits("banks", observe([gather(0, 7 * 32, 63 * 32)], design=many)) == {
        "lane 0 x banks 0 to 3": 1,
        "lane 1 x banks 4 to 7": 1,
        "lane 2 x banks 60 to 63": 1,
    }


def test_fills_are_counted_by_where_they_go() -> None:
    addresses = [0, 4096 - 32, 64, 64, 4096, 4096 + 32, ADDRESS_SPACE - 32, 1, 4097]
    observed = observe([], fills=list(enumerate(addresses)))
    assert hits("fill addresses", observed) == {
        "first block": 1,
        "last block": 1,
        "another block": 2,
        "dropped: first past the end": 1,
        "dropped: farther out of range": 2,
        "dropped: misaligned": 2,
    }
    assert "another block" not in GROUPS["fill addresses"].bins(SMALLEST)
