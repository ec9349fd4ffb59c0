"""The functional coverage: which bins hand-made tests of a unit hit, and which there are."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from flow.testplan import read_plan
from model import BLOCK_BYTES, LANES, Command, CommandBatch, Dtype, Op
from tb.coverage import COVERGROUPS, Covergroup, Design, Observed, merge, sample_all
from tb.coverage.covergroup import cross_hits, on_every_design, ranges
from tb.stimulus import biased_commands, random_fills

DESIGN = Design(ub_bytes=4096, banks=4, window=2, stride_w=32)
DEFAULTS = Design(ub_bytes=262144, banks=16, window=4, stride_w=32)
SMALLEST = Design(ub_bytes=64, banks=1, window=1, stride_w=1)
DESIGNS = [
    DESIGN,
    DEFAULTS,
    SMALLEST,
    Design(ub_bytes=16384, banks=8, window=1, stride_w=32),
    Design(ub_bytes=1024, banks=2, window=64, stride_w=5),
    Design(ub_bytes=4096, banks=64, window=3, stride_w=16),
    Design(ub_bytes=8192, banks=128, window=2, stride_w=2),
]
GROUPS = {group.name: group for group in COVERGROUPS}

GATHERB, LOADALIGN = Op.GATHERB, Op.LOADALIGN
POST_NORMAL, POST_UPDATE = Op.LOADALIGN_POST_NORMAL, Op.LOADALIGN_POST_UPDATE
ADDRESS_SPACE = 1 << 32
FULL = (1 << 256) - 1


def gather(*index: int, base: int = 0, dtype: Dtype = Dtype.B32) -> Command:
    """A GatherB with these indices in lanes 0, 1, ...; the other lanes are inactive."""
    mask = sum(1 << 4 * lane for lane in range(len(index)))
    return Command(GATHERB, dtype, base, mask, index=(*index, *[0] * (LANES - len(index))))


def load(base: int, *lanes: int, op: Op = LOADALIGN, stride: int = 1, repeat: int = 0) -> Command:
    """A LoadAlign of b8 with these lanes active."""
    mask = sum(1 << 32 * lane for lane in lanes)
    return Command(op, Dtype.B8, base, mask, block_stride=stride, repeat_stride=repeat)


GOOD = load(0, 0)
FAULTY = load(1, 0)


def observe(
    commands: Sequence[Command],
    accepted: Sequence[int] | None = None,
    answered: Sequence[int] | None = None,
    fills: Sequence[tuple[int, int]] = (),
    low: Iterable[int] = (),
    rst: Iterable[int] = (),
    design: Design = DESIGN,
) -> Observed:
    """One test of 100 cycles.

    `fills` are (cycle, byte address), `low` the cycles with rsp_ready low, `rst` those with rst
    high. If not said, a command in each cycle from 1 on, answered as soon as one without conflicts
    can be.
    """
    accepted = range(1, 1 + len(commands)) if accepted is None else accepted
    answered = [cycle + 5 for cycle in accepted] if answered is None else answered
    ready, resets = np.ones(100, bool), np.zeros(100, bool)
    ready[list(low)] = False
    resets[list(rst)] = True
    return Observed(
        design,
        CommandBatch.from_commands(commands),
        np.array(accepted, np.int64),
        np.array(answered, np.int64),
        np.array([address for _, address in fills], np.uint32),
        np.array([cycle for cycle, _ in fills], np.int64),
        ready,
        resets,
    )


def hits(group: str, observed: Observed) -> dict[str, int]:
    """The bins that were hit, and how often."""
    bins = GROUPS[group].bins(observed.design)
    counts = GROUPS[group].sample(observed).tolist()
    return {name: count for name, count in zip(bins, counts, strict=True) if count}


def random_observed(design: Design, seed: int, count: int) -> Observed:
    """Random commands and fills in consecutive cycles, some of them dropped by resets."""
    rng = np.random.default_rng(seed)
    batch = biased_commands(count, rng, design.ub_bytes, design.largest_stride + 1)
    fills = random_fills(count // 2, batch, rng, design.ub_bytes)
    resets = np.zeros(count + 20, bool)
    resets[count // 3] = resets[count // 2] = True
    accepted = np.delete(np.arange(count + 2), np.flatnonzero(resets))
    answered = accepted + 5
    for begin in np.flatnonzero(resets):
        answered[(accepted < begin) & (answered >= begin)] = -1
    return Observed(
        design,
        batch,
        accepted,
        answered,
        fills.address,
        np.sort(rng.integers(count, size=len(fills))),
        rng.random(count + 20) < 0.8,
        resets,
    )


# ---- Crosses -------------------------------------------------------------------------------------
def test_a_cross_counts_each_combination_and_leaves_out_what_has_no_class() -> None:
    first, second = np.array([0, 1, 1, -1, 1]), np.array([2, 0, 0, 1, -1])
    assert cross_hits([first, second], [2, 3]).tolist() == [0, 0, 1, 2, 0, 0]
    assert cross_hits([first[:, np.newaxis], np.arange(2)], [2, 2]).tolist() == [1, 1, 3, 3]


def test_a_class_that_an_axis_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError):
        cross_hits([np.array([2])], [2])


def test_ranges_begin_at_their_starts() -> None:
    assert ranges(np.array([0, 1, 2, 7, 8, 99]), 1, 2, 8).tolist() == [-1, 0, 1, 1, 2, 2]


def test_a_hit_out_of_reach_is_no_silent_loss() -> None:
    group = Covergroup(
        "group",
        "about",
        ("ST-1",),
        on_every_design(("a", "b")),
        lambda observed: (np.ones(1, int),),
        lambda design, letter: "no b" if letter else "",
    )
    assert group.bins(DESIGN) == ("a",)
    with pytest.raises(ValueError, match="group: b was hit, .*: no b"):
        group.sample(observe([]))


# ---- Single commands -----------------------------------------------------------------------------
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


# ---- Faults --------------------------------------------------------------------------------------
def test_faults_are_counted_by_op_and_by_lane() -> None:
    commands = [
        gather(0),
        gather(0, base=8),
        gather(0, 32, 5, 7),
        gather(4096),
        Command(POST_NORMAL, Dtype.B64, 0, FULL),
        load(4096 - 32, 0, 1),
        load(4096, 6, 7, op=POST_UPDATE),
    ]
    observed = observe(commands)
    assert hits("faults", observed) == {
        "GATHERB x NONE": 1,
        "GATHERB x MISALIGNED_BASE": 1,
        "GATHERB x MISALIGNED_INDEX": 1,
        "GATHERB x OUT_OF_RANGE": 1,
        "LOADALIGN_POST_NORMAL x ILLEGAL_DTYPE": 1,
        "LOADALIGN x OUT_OF_RANGE": 1,
        "LOADALIGN_POST_UPDATE x OUT_OF_RANGE": 1,
    }
    assert hits("fault lanes", observed) == {
        "GATHERB x MISALIGNED_INDEX x lane 2": 1,
        "GATHERB x OUT_OF_RANGE x lane 0": 1,
        "LOADALIGN x OUT_OF_RANGE x lane 1": 1,
        "LOADALIGN_POST_UPDATE x OUT_OF_RANGE x lane 6": 1,
    }
    assert len(GROUPS["faults"].bins(DESIGN)) == 4 * 5 - 1 - 3
    assert len(GROUPS["fault lanes"].bins(DESIGN)) == 8 + 4 * 8


def test_faults_of_inactive_lanes_are_counted_in_good_commands() -> None:
    commands = [
        Command(GATHERB, Dtype.B8, 0, 1, index=(0, 4096, 3, 0, 0, 0, 0, 0)),
        Command(GATHERB, Dtype.B8, 0, 0, index=(1, 0, 0, 0, 0, 0, 0, 0)),
        Command(GATHERB, Dtype.B8, 0, 1, index=(1, 3, 0, 0, 0, 0, 0, 0)),
        load(4096 - 32, 0),
        load(4096, op=POST_UPDATE),
        load(0, 0),
    ]
    assert hits("masked faults", observe(commands)) == {
        "GATHERB x MISALIGNED_INDEX x others active": 1,
        "GATHERB x OUT_OF_RANGE x others active": 1,
        "GATHERB x MISALIGNED_INDEX x no lane active": 1,
        "LOADALIGN x OUT_OF_RANGE x others active": 1,
        "LOADALIGN_POST_UPDATE x OUT_OF_RANGE x no lane active": 1,
    }


def test_errors_of_a_command_are_counted_by_its_mask() -> None:
    commands = [
        Command(LOADALIGN, Dtype.B64, 1, 0),
        Command(LOADALIGN, Dtype.B64, 0, FULL),
        Command(GATHERB, Dtype.B64, 1, FULL),
        Command(GATHERB, Dtype.B64, 1, FULL >> 1),
        gather(4096),
    ]
    assert hits("command errors", observe(commands)) == {
        "ILLEGAL_DTYPE x no bit set": 1,
        "ILLEGAL_DTYPE x every bit set": 1,
        "MISALIGNED_BASE x every bit set": 1,
        "MISALIGNED_BASE x some bits set": 1,
    }


def test_neighbours_of_faults_are_counted_unless_a_reset_is_between() -> None:
    commands = [GOOD, FAULTY, FAULTY, GOOD, GOOD, FAULTY, GOOD, FAULTY]
    accepted = [1, 2, 3, 5, 6, 9, 20, 21]
    answered = [6, 7, 8, 10, 11, -1, 25, 26]
    observed = observe(commands, accepted, answered, rst=[12])
    assert hits("fault neighbours", observed) == {
        "fault after good x in the next cycle": 2,
        "fault after fault x in the next cycle": 1,
        "good after fault x later": 1,
        "fault after good x later": 1,
    }


# ---- Addresses -----------------------------------------------------------------------------------
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


# ---- Order ---------------------------------------------------------------------------------------
def test_post_updates_are_counted_by_their_place_in_a_chain() -> None:
    def update(base: int, *lanes: int, repeat: int = 1) -> Command:
        return load(base, *lanes, op=POST_UPDATE, repeat=repeat)

    commands = [
        update(0, 0),
        update(32, 0),
        update(64),
        update(96, 0, repeat=0),  # the base stays: what comes next is no continuation
        update(96, 0),
        load(128, 0, op=POST_NORMAL, repeat=1),  # no post-update: its base stays
        update(160, 0),
        update(192, 0, repeat=1 << 20),
        update(192 + (1 << 25), 0),  # out of range: it does not move the base
        update(ADDRESS_SPACE - 32),
        update(0, 0),
    ]
    assert hits("post-update chains", observe(commands)) == {
        "first of a chain x lanes active": 3,
        "first of a chain x no lane active": 1,
        "second x lanes active": 3,
        "third or later x no lane active": 1,
        "third or later x lanes active": 1,
    }


def test_fills_are_counted_by_the_cycles_to_the_nearest_reads_of_their_block() -> None:
    commands = [gather(32), gather(32, 64), gather(1), load(4096 - 32, 0)]
    fills = [
        (9, 32),  # nothing before, 1 cycle to the first command
        (10, 32),  # with the first, 2 cycles to the second
        (11, 96),  # no command reads it
        (15, 64),  # 3 after the second
        (30, 4096 - 32),  # 9 to the last
        (31, 4096 - 32),  # 8 to it
        (37, 4096 - 32),  # 2 to it
        (38, 4096),  # dropped
        (40, 4096 - 32),  # 1 after
        (60, 32),  # 48 after the second
    ]
    observed = observe(commands, [10, 12, 13, 39], fills=fills)
    assert hits("fills around reads", observed) == {
        "fill before the read x 1 cycle": 1,
        "fill after the read x same cycle": 1,
        "fill before the read x 2 cycles": 2,
        "fill after the read x 3 to 8 cycles": 1,
        "fill before the read x 3 to 8 cycles": 1,
        "fill before the read x more cycles": 1,
        "fill after the read x 1 cycle": 1,
        "fill after the read x more cycles": 1,
    }
    assert len(GROUPS["fills around reads"].bins(DESIGN)) == 9


# ---- Timing --------------------------------------------------------------------------------------
def test_occupancy_counts_what_is_in_flight_up_to_the_cycle_of_its_response() -> None:
    accepted = [1, 2, 3, 4, 9, 10, 20, 31]
    answered = [6, 7, 8, 9, 14, -1, -1, 36]
    observed = observe([GOOD] * 8, accepted, answered, low=[2, 10], rst=[15, 16, 25])
    assert hits("occupancy", observed) == {
        "none in flight x rsp_ready high": 3,  # in 1, 20 and 31, as two resets drop two commands
        "1 in flight x rsp_ready low": 2,  # in 2 and 10
        "up to the window x rsp_ready high": 1,  # in 3
        "more than the window x rsp_ready high": 1,  # in 4
        "1 in flight x rsp_ready high": 1,  # in 9, that which is answered in 9
    }
    lone = replace(DESIGN, window=1)
    assert len(GROUPS["occupancy"].bins(lone)) == len(GROUPS["occupancy"].bins(DESIGN)) - 2


def test_stalls_are_counted_from_when_a_response_is_due() -> None:
    commands = [GOOD, GOOD, load(0, 0, 1, stride=4), GOOD, GOOD]
    accepted = [1, 2, 20, 40, 60]
    answered = [13, 14, 28, -1, 65]
    low = [*range(3, 13), *range(22, 28), *range(59, 65)]
    observed = observe(commands, accepted, answered, low=low, rst=[42])
    assert hits("stalls", observed) == {
        "2 to 7 cycles": 2,  # the first is due in 6 and taken in 13, the third is due in 26
    }
    # The second response of these waits for the first one too, which is no stall of its own.
    both = observe([GOOD, GOOD], [1, 2], [10, 12], low=[*range(6, 10), 11])
    assert hits("stalls", both) == {"2 to 7 cycles": 1, "1 cycle": 1}
    behind = observe([GOOD, GOOD], [1, 2], [14, 15], low=range(6, 14))
    assert hits("stalls", behind) == {"8 cycles or more": 1}
    assert hits("stalls", observe([GOOD], [1], [7], low=[6])) == {"1 cycle": 1}
    assert hits("stalls", observe([GOOD], [1], [14], low=range(6, 14))) == {"8 cycles or more": 1}
    assert hits("stalls", observe([GOOD], [1], [14], low=[6, 7])) == {}


def test_latencies_are_counted_beyond_that_of_an_idle_unit() -> None:
    two = load(0, 0, 1, stride=4)
    commands = [GOOD, two, two, FAULTY, gather(), gather(), GOOD]
    accepted = [1, 10, 20, 30, 40, 50, 60]
    answered = [6, 16, 27, 38, 49, 58, -1]
    observed = observe(commands, accepted, answered, rst=[62])
    assert hits("latencies", observed) == {
        "D = 1 x as in an idle unit": 1,
        "D from 2 on x as in an idle unit": 1,
        "D from 2 on x 1 to 3 cycles more": 1,
        "fault x 1 to 3 cycles more": 1,
        "D = 0 x 4 cycles more or longer": 1,
        "D = 0 x 1 to 3 cycles more": 1,
    }


def test_resets_are_counted_by_what_they_find() -> None:
    accepted = [1, 18, 19, 20, 39, 50]
    answered = [6, -1, -1, -1, -1, 55]
    fills = [(16, 0), (35, 0), (58, 0)]
    observed = observe([GOOD] * 6, accepted, answered, fills, rst=[10, 21, 22, 40, 60])
    assert hits("resets", observed) == {
        "none in flight x no fill just before": 1,
        "more than the window x no fill just before": 1,  # the fill was 5 cycles before
        "1 in flight x no fill just before": 1,
        "none in flight x a fill in the 4 cycles before": 1,
    }
    observed = observe([GOOD] * 2, [1, 2], [-1, -1], [(1, 0)], rst=[5])
    assert hits("resets", observed) == {"up to the window x a fill in the 4 cycles before": 1}


def test_the_first_command_behind_a_reset_is_counted_by_when_it_comes() -> None:
    accepted = [1, 19, 24, 25, 44, 53]
    answered = [6, -1, -1, -1, 49, 58]
    # Behind the resets of 10, 20 to 22, 30, 42 and 50: in 19, in 24, none, in 44, in 53.
    observed = observe([GOOD] * 6, accepted, answered, rst=[10, 20, 21, 22, 30, 42, 50, 90])
    assert hits("resumes", observed) == {
        "nothing was in flight x later": 2,
        "commands were dropped x first cycle possible": 1,
        "nothing was in flight x first cycle possible": 1,
    }


# ---- All groups ----------------------------------------------------------------------------------
def test_every_rule_that_a_group_names_is_in_the_plan() -> None:
    plan = read_plan(Path(__file__).parents[1] / "docs" / "testplan.md")
    for group in COVERGROUPS:
        assert group.rules and set(group.rules) <= set(plan), group.name
        assert "\n" not in group.about


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_bins_have_names_of_their_own(design: Design) -> None:
    assert len(GROUPS) == len(COVERGROUPS)
    for group in COVERGROUPS:
        bins = group.bins(design)
        assert len(set(bins)) == len(bins) > 1, group.name


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_no_random_test_hits_a_bin_that_is_out_of_reach(design: Design) -> None:
    # sample raises where one does.
    sample = sample_all(random_observed(design, seed=3, count=20000))
    assert sum(sample["faults"]["bins"].values()) == 20000


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_a_test_without_commands_and_fills_hits_nothing(design: Design) -> None:
    for group in sample_all(observe([], design=design)).values():
        assert not any(group["bins"].values())


def test_samples_are_ready_for_json_and_say_what_they_are() -> None:
    sample = sample_all(observe([GOOD, FAULTY]))
    assert json.loads(json.dumps(sample)) == sample
    assert sample["faults"]["about"] == "op and fault"
    assert "FA-1" in sample["faults"]["rules"]
    assert sample["faults"]["bins"]["LOADALIGN x NONE"] == 1


def test_samples_are_merged_bin_by_bin_over_all_bins() -> None:
    small = sample_all(observe([GOOD], design=SMALLEST))
    large = sample_all(observe([GOOD, GOOD, load(0, 0, 1, 2, stride=4)]))
    merged = merge([small, large])
    assert merged["conflicts"]["bins"]["LoadAlign x D = 1"] == 3
    assert merged["conflicts"]["bins"]["LoadAlign x D = 3"] == 1
    assert merged["conflicts"]["bins"]["GatherB x D = 8"] == 0
    assert set(merged["conflicts"]["bins"]) == set(large["conflicts"]["bins"])
    assert merged["banks"]["bins"]["lane 0 x bank 0"] == 4
    assert merged["banks"]["rules"] == small["banks"]["rules"]
    assert small["conflicts"]["bins"]["LoadAlign x D = 1"] == 1
    assert merge([]) == {}


def test_two_tests_together_hit_what_each_of_them_hits() -> None:
    first, second = (random_observed(DESIGN, seed, 3000) for seed in (5, 6))
    # The second one begins behind a reset, far enough from the first that they are no neighbours.
    between = np.zeros(64, bool)
    after = len(first.ready) + len(between)
    both = Observed(
        DESIGN,
        CommandBatch.concatenate([first.commands, second.commands]),
        np.append(first.accepted, second.accepted + after),
        np.append(first.answered, np.where(second.answered < 0, -1, second.answered + after)),
        np.append(first.fill_address, second.fill_address),
        np.append(first.filled, second.filled + after),
        np.concatenate([first.ready, ~between, second.ready]),
        np.concatenate([first.resets, between, second.resets]),
    )
    expected, got = merge([sample_all(first), sample_all(second)]), sample_all(both)
    # What lies between the tests is seen only by those that look from one command to another.
    between_commands = {"fault neighbours", "post-update chains"}
    between_fills = {"fills around reads", "fills beside commands"}
    for name in GROUPS.keys() - between_commands - between_fills:
        assert got[name] == expected[name], name


def test_a_wrong_shape_or_type_names_its_field() -> None:
    observed = observe([GOOD, FAULTY], fills=[(1, 0)])
    wrong = {
        "accepted": np.zeros(3, np.int64),
        "answered": np.zeros(2, np.int32),
        "fill_address": np.zeros(1, np.int64),
        "filled": np.zeros(2, np.int64),
        "ready": np.zeros(100, np.uint8),
        "resets": np.zeros(99, bool),
    }
    for field, array in wrong.items():
        with pytest.raises(ValueError, match=f"{field} is "):
            replace(observed, **{field: array})


def test_a_million_commands_are_sampled() -> None:
    count = 1_000_000
    rng = np.random.default_rng(1)
    blocks = DEFAULTS.blocks
    commands = CommandBatch(
        op=rng.integers(4, size=count, dtype=np.uint8),
        dtype=rng.integers(4, size=count, dtype=np.uint8),
        base=BLOCK_BYTES * rng.integers(blocks // 2, size=count, dtype=np.uint32),
        block_stride=rng.integers(600, size=count, dtype=np.uint32),
        repeat_stride=rng.integers(8, size=count, dtype=np.uint32),
        index=BLOCK_BYTES * rng.integers(blocks // 2, size=(count, LANES), dtype=np.uint32),
        mask=rng.integers(256, size=(count, 32), dtype=np.uint8),
    )
    accepted = np.arange(count)
    observed = Observed(
        DEFAULTS,
        commands,
        accepted,
        accepted + 5,
        np.zeros(0, np.uint32),
        np.zeros(0, np.int64),
        np.ones(count + 6, bool),
        np.zeros(count + 6, bool),
    )
    sample = sample_all(observed)
    assert sum(sample["faults"]["bins"].values()) == count
    # From the fifth command on, five are in flight.
    assert sample["occupancy"]["bins"]["more than the window x rsp_ready high"] == count - 5
