"""Coverage of faults, of their lanes, of those in inactive lanes and of their neighbours."""

from coverage_examples import (
    DESIGN,
    FAULTY,
    FULL,
    GATHERB,
    GOOD,
    GROUPS,
    LOADALIGN,
    POST_NORMAL,
    POST_UPDATE,
    gather,
    hits,
    load,
    observe,
)

from model import Command, Dtype


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
