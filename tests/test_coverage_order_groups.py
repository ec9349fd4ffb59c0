"""Coverage of order: chains of post-updates, and fills around the reads of their block."""

from coverage_examples import (
    ADDRESS_SPACE,
    DESIGN,
    GROUPS,
    POST_NORMAL,
    POST_UPDATE,
    gather,
    hits,
    load,
    observe,
)

from model import Command


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
