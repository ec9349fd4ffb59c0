"""What a unit does with a play, predicted: cycles, levels and data."""

import numpy as np
import pytest

from model import (
    Case,
    Command,
    CommandBatch,
    Dtype,
    Fill,
    Op,
    Play,
    execute_batch,
    level_pairs,
    levels,
    predict,
    predicted_data,
    simulate,
)
from tb.stimulus import biased_commands

SIZES = (4096, 16, 4)
PARAMETERS = {"UB_BYTES": 4096, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32}
LATENCY = 5
EVERY_BLOCK = (1 << 256) - 1

ONES, TWOS = bytes([1]) * 32, bytes([2]) * 32
LOAD = Command(Op.LOADALIGN, Dtype.B8, 0, 1)


def play_of(commands: list[Command], **fields: object) -> Play:
    return Case("", bytes(32), tuple(commands), b"", **fields).play()


def test_a_play_of_commands_alone_takes_the_cycles_of_the_simulation():
    batch = biased_commands(300, np.random.default_rng(1), 4096)
    play = Case.of_play("", b"", play_of([LOAD])).play()
    play = Play(
        batch, np.zeros(300, np.uint32), play.fills, play.fill_gaps, play.ready, play.resets
    )
    predicted, simulated = predict(play, *SIZES), simulate(batch, *SIZES)
    begin = predicted.accepted[0]
    assert (predicted.accepted - begin == simulated.accepted - simulated.accepted[0]).all()
    assert (predicted.answered - begin == simulated.answered - simulated.accepted[0]).all()


def test_gaps_and_backpressure_move_what_they_hold_back():
    predicted = predict(play_of([LOAD, LOAD], gaps=(3, 7), ready=((0, 30),)), *SIZES)
    assert predicted.accepted.tolist() == [4, 12]
    assert predicted.answered.tolist() == [30, 31]
    assert not any(cycle.cmd_ready for cycle in predicted.cycles[:1])


def test_a_reset_drops_commands_and_fills_and_the_rest_goes_on():
    case = Case(
        "",
        ONES,
        (LOAD, LOAD, LOAD),
        b"",
        gaps=(0, 0, 8),
        fills=(Fill(0, TWOS, gap=1),),
        resets=((3, 1),),
    )
    predicted = predict(case.play(), *SIZES)
    # Both commands are in flight in cycle 3, and the fill waits for them.
    assert predicted.answered.tolist() == [-1, -1, predicted.accepted[2] + LATENCY]
    assert predicted.lost_fills == (0,)
    data = case.completed(PARAMETERS).expected
    assert data == bytes(512) + ONES + bytes(224)


def test_the_data_are_those_of_the_golden_model_with_the_fills_in_between():
    case = Case("", ONES, (LOAD, LOAD), b"", fills=(Fill(0, TWOS),)).completed(PARAMETERS)
    # Accepted in one cycle: the command comes first.
    assert case.expected == ONES + bytes(224) + TWOS + bytes(224)
    assert case.parameters == PARAMETERS


def test_without_fills_the_data_are_those_of_the_batch_model():
    commands = biased_commands(200, np.random.default_rng(2), 4096)
    contents = np.random.default_rng(3).integers(256, size=4096, dtype=np.uint8)
    play = play_of([commands.command(number) for number in range(200)])
    data = predicted_data(contents.tobytes(), play, predict(play, *SIZES), 4096)
    assert data == execute_batch(contents, commands).data.tobytes()


@pytest.mark.parametrize("first", [False, True])
def test_pairs_of_cycles_and_levels_say_the_same(first):
    by_cycle = np.random.default_rng(4).random(200) < 0.5
    pairs = np.array(level_pairs(by_cycle, first), np.uint32)
    again = levels(pairs, first)
    assert [next(again) for _ in by_cycle] == by_cycle.tolist()


def test_a_play_is_the_case_that_it_comes_from():
    case = Case("x", ONES, (LOAD,), b"", (5,), (Fill(32, TWOS, 2),), ((1, 2),), ((9, 1),))
    assert Case.of_play("x", ONES, case.play()) == case
    assert len(CommandBatch.from_commands([])) == 0
