"""The cycle model against cycles worked out by hand from the specification, sections 5 and 6."""

import numpy as np
import pytest

from model import (
    NO_BLOCK,
    Command,
    CommandBatch,
    CycleModel,
    Dtype,
    Op,
    conflict_degree,
    simulate,
    wanted_blocks,
    wanted_blocks_batch,
)

UB_BYTES = 1 << 18
ALL = (1 << 256) - 1
LATENCY = 5

every_window = pytest.mark.parametrize("window", [1, 2, 4, 64])


def strided(block_stride: int, first: int = 0, mask: int = ALL) -> Command:
    return Command(Op.LOADALIGN, Dtype.B32, 32 * first, mask, block_stride)


def gathered(*blocks: int | None) -> Command:
    """A gather of these blocks, with as many lanes as there are; None: the lane is not active."""
    mask = sum(1 << 4 * lane for lane, block in enumerate(blocks) if block is not None)
    index = [32 * (block or 0) for block in blocks]
    return Command(Op.GATHERB, Dtype.B32, 0, mask, index=tuple(index + [0] * (8 - len(index))))


def timed(*commands: Command, banks: int = 16, window: int = 4):
    return simulate(CommandBatch.from_commands(commands), UB_BYTES, banks, window)


class Unit:
    """A cycle model out of reset; the cycles that it has gone through, from 0 on."""

    def __init__(self, banks: int = 16, window: int = 4) -> None:
        self.model = CycleModel(UB_BYTES, banks, window)
        self.model.step()
        self.cycles = []

    def step(self, command: Command | None = None, fill: int | None = None, rsp_ready=True):
        wanted = None if command is None else wanted_blocks(command, UB_BYTES)
        self.cycles.append(self.model.step(wanted, fill, rsp_ready))
        return self.cycles[-1]

    def run(self, cycles: int, **inputs) -> list:
        return [self.step(**inputs) for _ in range(cycles)]

    def reads(self) -> dict[int, dict[int, int]]:
        """The blocks read, by bank, of each cycle with a read."""
        return {number: cycle.reads for number, cycle in enumerate(self.cycles) if cycle.reads}


# ---- Commands alone ---------------------------------------------------------------------------
@pytest.mark.proves("CY-7", "CY-8")
@every_window
@pytest.mark.parametrize("banks", [1, 2, 16, 64])
@pytest.mark.parametrize("degree", range(9))
def test_the_latency_of_a_lone_command_is_5_and_a_cycle_for_each_further_row(degree, banks, window):
    blocks = [banks * min(lane, degree - 1) if degree else None for lane in range(8)]
    timing = timed(gathered(*blocks), banks=banks, window=window)
    assert timing.cycles == LATENCY + max(0, degree - 1)
    assert len(timing.read_cycles) == degree


@pytest.mark.proves("CY-8")
@pytest.mark.parametrize(
    "command",
    [strided(0, mask=0), strided(UB_BYTES), Command(Op.LOADALIGN, Dtype.B64, 0, ALL)],
    ids=["inactive", "out of range", "illegal dtype"],
)
def test_a_command_that_reads_nothing_takes_the_latency_too(command):
    timing = timed(command)
    assert timing.cycles == LATENCY
    assert len(timing.read_cycles) == 0


@pytest.mark.proves("CY-3")
@every_window
def test_commands_without_conflicts_flow_one_per_cycle(window):
    commands = [strided(0), strided(1), gathered(3, 3, 3), strided(145), strided(0, mask=0)] * 5
    timing = timed(*commands, window=window)
    assert timing.accepted.tolist() == list(range(25))
    assert timing.answered.tolist() == list(range(LATENCY, LATENCY + 25))


@pytest.mark.proves("CY-4")
def test_in_lock_step_the_cycles_add_up():
    commands = [strided(16), strided(1), strided(8), strided(0, mask=0), strided(32), strided(4)]
    assert [conflict_degree(command, 16, UB_BYTES) for command in commands] == [8, 1, 4, 0, 8, 2]
    timing = timed(*commands, window=1)
    sums = np.array([8, 9, 13, 14, 22, 24])
    assert timing.completed.tolist() == (1 + sums).tolist()
    assert timing.answered.tolist() == (4 + sums).tolist()
    # Beside the command that waits for reads two more are accepted.
    assert timing.accepted.tolist() == [0, 1, 2, 10, 11, 15]


@pytest.mark.proves("CY-5")
def test_padding_matters_less_with_a_window():
    unpadded = [strided(144, first) for first in range(144)]
    padded = [strided(145, first) for first in range(144)]
    assert timed(*unpadded, window=1).cycles == 8 * 144 + LATENCY - 1
    assert timed(*padded, window=1).cycles == 144 + LATENCY - 1
    assert timed(*padded, window=4).cycles == 144 + LATENCY - 1
    assert timed(*unpadded, window=4).cycles < 8 * 144 / 3


# ---- Lanes, queues, banks ---------------------------------------------------------------------
@pytest.mark.proves("CY-9")
def test_a_lane_runs_ahead_to_the_end_of_the_window_and_no_further():
    unit = Unit(banks=2, window=2)
    for _ in range(3):
        # Lanes 0 to 2 want three rows of bank 0, lane 3 one of bank 1.
        unit.step(gathered(0, 2, 4, 1))
    unit.run(8)
    assert unit.reads() == {
        2: {0: 0, 1: 1},
        # The second command's lane 3 goes ahead, its lane 0 shares no bank with lane 1 of the first.
        3: {0: 2, 1: 1},
        4: {0: 4},
        # The window has moved on: lane 3 of the third.
        5: {0: 0, 1: 1},
        6: {0: 2},
        7: {0: 4},
        8: {0: 0},
        9: {0: 2},
        10: {0: 4},
    }


@pytest.mark.proves("CY-1")
def test_a_read_serves_every_head_that_wants_the_block():
    unit = Unit()
    # The second command wants the block that the first reads last, in a lane that is free.
    unit.step(gathered(0, 16, 32))
    unit.step(gathered(None, None, None, 32))
    unit.run(8)
    assert unit.reads() == {2: {0: 0}, 3: {0: 16}, 4: {0: 32}}
    assert [cycle.rsp_valid for cycle in unit.cycles].index(True) == 7
    assert [cycle.rsp_valid for cycle in unit.cycles[7:]] == [True, True, False]


def test_a_bank_reads_for_the_oldest_command_and_of_one_for_the_lowest_lane():
    unit = Unit()
    unit.step(gathered(1, None, 17, 33))
    unit.step(gathered(None, 49))
    unit.run(6)
    assert unit.reads() == {2: {1: 1}, 3: {1: 17}, 4: {1: 33}, 5: {1: 49}}


@pytest.mark.parametrize(
    ("second", "cycles"),
    [
        # Lane 1 waits for bank 0 in cycle 2 and is served in cycle 3.
        pytest.param(3, [2, 3], id="an odd bank does not wait for an even one"),
        pytest.param(2, [2, 3, 4], id="two even banks share a queue"),
    ],
)
def test_a_lane_has_a_queue_at_the_even_and_one_at_the_odd_banks(second, cycles):
    unit = Unit()
    unit.step(gathered(0, 16))
    unit.step(gathered(None, second))
    unit.run(6)
    assert list(unit.reads()) == cycles


def test_in_lock_step_no_lane_is_served_twice_in_a_cycle():
    unit = Unit(window=1)
    unit.step(gathered(0, 16))
    unit.step(gathered(None, 3))
    unit.run(6)
    assert unit.reads() == {2: {0: 0}, 3: {0: 16}, 4: {3: 3}}


@pytest.mark.parametrize(
    ("second", "cycle"),
    [
        pytest.param((None, 3), 4, id="behind a turn at an odd bank"),
        pytest.param((None, None), 5, id="behind a turn without an access"),
    ],
)
def test_a_lane_that_reads_nothing_takes_its_turn_at_the_even_banks(second, cycle):
    unit = Unit()
    unit.step(gathered(0, 16, 32))
    unit.step(gathered(*second))
    unit.step(gathered(None, 6))
    unit.run(6)
    # Lane 1 has its first turn at an even bank in cycle 3.
    assert unit.reads()[3][0] == 16
    assert unit.reads()[cycle][6] == 6


# ---- Fills ------------------------------------------------------------------------------------
@pytest.mark.proves("OR-5")
def test_fills_flow_one_per_cycle_and_are_written_in_the_next():
    unit = Unit()
    for block in range(5):
        assert unit.step(fill=32 * block).fill_ready
    unit.step()
    assert [cycle.written for cycle in unit.cycles] == [None, 0, 1, 2, 3, 4]
    assert [cycle.idle for cycle in unit.cycles] == [True, False, False, False, False, False]
    assert unit.step().idle


@pytest.mark.proves("PT-8")
@pytest.mark.parametrize("address", [1, 33, UB_BYTES - 1, UB_BYTES, (1 << 32) - 32])
def test_a_fill_that_is_dropped_raises_fill_error_for_one_cycle(address):
    unit = Unit()
    unit.step(fill=address)
    after = unit.run(2)
    assert [cycle.fill_error for cycle in unit.cycles] == [False, True, False]
    assert all(cycle.fill_ready and cycle.idle and cycle.written is None for cycle in after)


@pytest.mark.proves("OR-1", "OR-2")
def test_a_fill_waits_for_the_commands_before_it_and_the_commands_after_it_wait_for_the_fill():
    unit = Unit()
    reader, other = gathered(0, 16, 32), gathered(None, None, None, 32, 1)
    # In one cycle the command is first.
    unit.step(reader, fill=32 * 32)
    unit.step(other)
    unit.run(8)
    # Block 1 does not wait. Block 32 does, although it is read for the older command in cycle 4.
    assert unit.reads() == {2: {0: 0}, 3: {0: 16, 1: 1}, 4: {0: 32}, 6: {0: 32}}
    assert [cycle.written for cycle in unit.cycles].index(32) == 5
    assert [cycle.fill_ready for cycle in unit.cycles[:6]] == [True, *[False] * 4, True]


@pytest.mark.proves("OR-1")
def test_a_fill_takes_its_bank_from_whoever_wants_it():
    unit = Unit()
    unit.step(gathered(0), fill=32 * 16)
    unit.step(gathered(32))
    unit.run(6)
    assert unit.reads() == {2: {0: 0}, 4: {0: 32}}
    assert unit.cycles[3].written == 16


# ---- Credits ----------------------------------------------------------------------------------
@pytest.mark.proves("CY-9")
@pytest.mark.parametrize(
    ("window", "slots"), [(1, 8), (2, 8), (3, 16), (4, 16), (10, 16), (11, 32), (64, 128)]
)
def test_stalled_responses_leave_room_for_a_power_of_two_of_commands(window, slots):
    unit = Unit(window=window)
    stalled = unit.run(slots + 20, command=strided(1), rsp_ready=False)
    assert [cycle.cmd_ready for cycle in stalled] == [True] * slots + [False] * 20
    assert [cycle.rsp_valid for cycle in stalled] == [False] * 5 + [True] * (slots + 15)
    # A slot is free again in the cycle after the transfer.
    assert not unit.step(strided(1)).cmd_ready
    assert unit.step(strided(1), rsp_ready=False).cmd_ready
    assert not unit.step(strided(1), rsp_ready=False).cmd_ready


@pytest.mark.proves("CY-9")
@every_window
def test_two_commands_beyond_the_window_may_wait_for_reads(window):
    unit = Unit(banks=1, window=window)
    # Eight rows of one bank each: the first completes in cycle 9.
    unit.run(max(10, window + 4), command=strided(1))
    ready = [cycle.cmd_ready for cycle in unit.cycles]
    assert ready[: min(window + 2, 10)] == [True] * min(window + 2, 10)
    if window < 8:
        assert ready[window + 2 : 10] == [False] * (8 - window)
        assert unit.step().cmd_ready


# ---- Reset ------------------------------------------------------------------------------------
@pytest.mark.proves("RS-1", "RS-2", "RS-3")
def test_a_reset_silences_the_unit_and_nothing_of_before_comes_after():
    for cycles in range(12):
        unit = Unit()
        unit.run(cycles, command=strided(16), fill=0, rsp_ready=False)
        unit.model.step(wanted_blocks(strided(16), UB_BYTES), 0, True, rst=True)
        silent = unit.model.step(wanted_blocks(strided(16), UB_BYTES), 0)
        assert not (silent.cmd_ready or silent.fill_ready or silent.rsp_valid or silent.fill_error)
        # That edge had rst low and no ready: it transferred nothing.
        for _ in range(20):
            cycle = unit.model.step()
            assert cycle.cmd_ready and cycle.fill_ready and cycle.idle and not cycle.rsp_valid
            assert not cycle.reads and cycle.written is None


# ---- What a command wants ---------------------------------------------------------------------
def test_only_active_lanes_of_good_commands_want_blocks():
    assert wanted_blocks(gathered(5, None, 7), UB_BYTES) == (5, NO_BLOCK, 7, *[NO_BLOCK] * 5)
    assert wanted_blocks(strided(3, first=1), UB_BYTES) == tuple(range(1, 25, 3))
    assert wanted_blocks(strided(UB_BYTES // 32), UB_BYTES) == (NO_BLOCK,) * 8


def test_a_batch_wants_what_its_commands_want():
    commands = [gathered(5, None, 7), strided(3, first=1), strided(UB_BYTES), strided(1, mask=1)]
    batch = CommandBatch.from_commands(commands)
    assert wanted_blocks_batch(batch, UB_BYTES) == [wanted_blocks(c, UB_BYTES) for c in commands]


def test_no_commands_have_no_cycles():
    with pytest.raises(ValueError, match="at least one"):
        simulate(CommandBatch.from_commands([]), UB_BYTES, 16, 4)
