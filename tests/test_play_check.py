"""The check of what was played: each way to be wrong is found, and named by its output."""

from dataclasses import fields, replace

import numpy as np
import pytest

from model import (
    OUTPUTS,
    Case,
    Command,
    Dtype,
    Fill,
    Op,
    Played,
    ResponseBatch,
    execute_in_order,
    predict,
)
from tb.player.case_player import Outcome
from tb.player.case_words import describe_case
from tb.player.play_check import PlayCheck, check_cycles, golden_responses

CONTENTS = np.random.default_rng(1).integers(1, 256, size=2048, dtype=np.uint8)
EVERY_BLOCK = (1 << 256) - 1
CASE = Case(
    "",
    CONTENTS.tobytes(),
    tuple(Command(Op.LOADALIGN, Dtype.B8, 32 * n, EVERY_BLOCK, block_stride=2) for n in range(6)),
    b"",
    gaps=(0, 0, 0, 5, 0, 0),
    fills=(Fill(64, bytes(32), gap=2), Fill(4096, bytes(32))),
    ready=((0, 9),),
)


def played_right(case: Case = CASE) -> Played:
    """What the player would record of a unit that does all as predicted."""
    play = case.play()
    sizes = (2048, 16, 4)
    end = len(predict(play, *sizes).cycles) + 80
    timing = predict(play, *sizes, end)
    kept = np.delete(np.arange(len(case.fills)), timing.lost_fills)
    responses = execute_in_order(
        CONTENTS.copy(), play.commands, timing.accepted, play.fills.take(kept), timing.filled[kept]
    )
    answered = timing.answered >= 0
    levels = np.array([cycle[: len(OUTPUTS)] for cycle in timing.cycles], np.uint16)
    accesses = [
        (cycle, block, bank, 0)
        for cycle, now in enumerate(timing.cycles)
        for bank, block in now.reads.items()
    ]
    accesses += [
        (cycle, now.written, now.written % 16, 1)
        for cycle, now in enumerate(timing.cycles)
        if now.written is not None
    ]
    return Played(
        timing.accepted,
        timing.filled,
        np.sort(timing.answered[answered]),
        ResponseBatch(*(getattr(responses, f.name)[answered] for f in fields(ResponseBatch))),
        np.zeros(answered.sum(), np.uint16),
        np.arange(len(levels)),
        (levels << np.arange(len(OUTPUTS), dtype=np.uint16)).sum(axis=1, dtype=np.uint16),
        np.zeros(len(levels), np.uint16),
        np.array(accesses, np.int64),
    )


def kinds(played: Played, case: Case = CASE) -> set[str]:
    contents = CONTENTS.copy()
    predicted = predict(case.play(), 2048, 16, 4, played.cycles)
    expected = golden_responses(contents, case.play(), played)
    first = PlayCheck(contents, case.play(), played, expected).first_wrong()
    found = [first, *check_cycles(played, predicted.cycles)]
    assert all(finding.report.startswith("MISMATCH ") for finding in found if finding)
    return {finding.kind for finding in found if finding}


def changed(played: Played, field: str, place: object, value: object) -> Played:
    """The same with one number another one."""
    holder = played.responses if hasattr(played.responses, field) else played
    array = getattr(holder, field).copy()
    array[place] = value
    if holder is played:
        return replace(played, **{field: array})
    return replace(played, responses=replace(played.responses, **{field: array}))


def test_what_is_right_has_no_finding() -> None:
    assert kinds(played_right()) == set()


@pytest.mark.proves("RN-23")
@pytest.mark.parametrize(
    ("field", "place", "value", "kind"),
    [
        ("data", (3, 70), 0, "rsp_data"),
        ("block_we", 2, 0x7F, "rsp_block_we"),
        ("base", 5, 1, "rsp_base"),
        ("fault_kind", 0, 4, "rsp_fault"),
        ("fault_kind", 0, 7, "rsp_fault"),
        ("fault_lane", 1, 3, "rsp_fault_lane"),
        ("fault_address", 1, 1 << 40, "rsp_fault_addr"),
        ("unknown", 4, 1 << 3, "rsp_data"),
        ("unknown", 4, 1 << 9, "X"),
        ("outputs", 20, 0, "cmd_ready"),
        ("outputs_unknown", 20, 1 << 2, "X rsp_valid"),
        ("outputs_unknown", 20, 1 << 4, "X idle"),
        ("accesses", (0, 1), 63, "bank access"),
        ("accesses", (0, 3), 2, "bank access"),
    ],
)
def test_what_is_wrong_is_found_and_named(
    field: str, place: object, value: object, kind: str
) -> None:
    assert kinds(changed(played_right(), field, place, value)) == {kind}


@pytest.mark.proves("RN-23")
@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("unknown", 1 << 9, "response to command 2: X in rsp_base"),
        ("fault_kind", 7, "response to command 2: rsp_fault is 7, which is no fault"),
        ("base", 9, "response to command 2: rsp_base: got 0x9, expected 0x40"),
    ],
)
def test_the_words_say_of_each_response_what_is_wrong(field: str, value: int, says: str) -> None:
    play, played = CASE.play(), changed(played_right(), field, 2, value)
    contents = CONTENTS.copy()
    check = PlayCheck(contents, play, played, golden_responses(contents, play, played))
    predicted = predict(play, 2048, 16, 4, played.cycles)
    words = describe_case(CASE, Outcome(played, predicted, check, (check.first_wrong(),)))
    (line,) = [line for line in words if "response to command 2:" in line]
    assert line.endswith(says)
    assert sum("as expected" in line for line in words) == len(CASE.commands) - 1


@pytest.mark.proves("RN-23")
def test_a_payload_that_moves_while_it_waits_is_found() -> None:
    right = played_right()
    assert kinds(changed(right, "outputs", 8, right.outputs[8] | 1 << 5)) == {"rsp payload"}


@pytest.mark.proves("RN-21")
def test_responses_too_early_too_many_and_missing_are_found() -> None:
    right = played_right()
    early = changed(right, "answered", 0, right.accepted[0])
    assert kinds(early) == {"a response too many"}
    dropped = CASE.commands[:5]
    few = replace(CASE, commands=dropped, gaps=CASE.gaps[:5])
    assert "a response too many" in kinds(replace(right, accepted=right.accepted[:5]), few)
    short = ResponseBatch(*(getattr(right.responses, f.name)[:5] for f in fields(ResponseBatch)))
    missing = replace(
        right, answered=right.answered[:5], responses=short, unknown=right.unknown[:5]
    )
    assert kinds(missing) == {"hang"}


RESET_CASE = replace(
    CASE, gaps=(0, 0, 0, 9, 0, 0), fills=(Fill(96, bytes(32), gap=3),), resets=((6, 1),)
)


@pytest.mark.proves("RN-21", "RS-5")
def test_a_reset_drops_responses_and_leaves_its_last_fill_undecided() -> None:
    right = played_right(RESET_CASE)
    assert len(right.answered) < len(RESET_CASE.commands)
    assert kinds(right, RESET_CASE) == set()
    # Command 3 reads block 3, which the reset may have left as it was.
    assert RESET_CASE.commands[3].base == 96
    first_after = len(right.answered) - 3
    either = changed(right, "data", (first_after, slice(0, 32)), 0)
    assert kinds(either, RESET_CASE) == set()
    assert kinds(changed(right, "data", (first_after, 40), 0), RESET_CASE) == {"rsp_data"}
