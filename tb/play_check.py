"""Checks what came of a play with the golden model, all commands at once."""

import numpy as np
from numpy.typing import NDArray

from model import FaultKind, Play, Played, ResponseBatch, execute_in_order
from tb.mismatch import describe_mismatch
from tb.ports import RESPONSE_PAYLOAD, ObservedResponse

FIELDS = ("data", "block_we", "base", "fault_kind", "fault_lane", "fault_address")


def check_play(contents: NDArray[np.uint8], play: Play, played: Played) -> str:
    """The report of the first mismatch, or "" where every response is right.

    `contents`, uint8 (ub_bytes,), is the Unified Buffer before the play and becomes that after it.
    """
    commands = play.commands.take(slice(0, len(played.accepted)))
    fills = play.fills.take(slice(0, len(played.filled)))
    expected = execute_in_order(contents, commands, played.accepted, fills, played.filled)
    answered = len(played.answered)
    if answered > len(commands):
        return f"MISMATCH {answered} responses to {len(commands)} commands"
    wrong = played.unknown != 0
    for field in FIELDS:
        differs = getattr(played, field) != getattr(expected, field)[:answered]
        wrong |= differs.any(axis=1) if differs.ndim == 2 else differs
    if wrong.any():
        return _describe(int(wrong.argmax()), play, played, expected)
    if (answered, len(fills)) != (len(play.commands), len(play.fills)):
        return (
            f"MISMATCH nothing has moved for too long: {len(commands)} of {len(play.commands)} commands "
            f"and {len(fills)} of {len(play.fills)} fills accepted, {answered} responses"
        )
    return ""


def count_faults(responses: Played) -> dict[str, int]:
    """How many responses report each kind of fault."""
    counts = {kind.name: int((responses.fault_kind == kind).sum()) for kind in FaultKind}
    return {name: count for name, count in counts.items() if count}


def _describe(number: int, play: Play, played: Played, expected: ResponseBatch) -> str:
    when = (
        f"MISMATCH in command {number}, accepted in cycle {played.accepted[number]}, "
        f"answered in cycle {played.answered[number]}"
    )
    if fields := int(played.unknown[number]) >> 8:
        names = [name for bit, name in enumerate(RESPONSE_PAYLOAD[1:]) if fields >> bit & 1]
        return f"{when}\n  X in {', '.join(f'rsp_{name}' for name in names)}"
    if played.fault_kind[number] >= len(FaultKind):
        return f"{when}\n  rsp_fault is {played.fault_kind[number]}, which is no fault"
    got = ResponseBatch(
        *(getattr(played, field) for field in ("data", "block_we", "base")),
        *(getattr(played, field) for field in ("fault_kind", "fault_lane", "fault_address")),
    ).response(number)
    observed = ObservedResponse(
        got.data, int(played.unknown[number]) & 0xFF, got.block_we, got.base, got.fault
    )
    report = describe_mismatch(
        play.commands.command(number), expected.response(number), observed, unwritten=0
    )
    return f"{when}\n  {report}"
