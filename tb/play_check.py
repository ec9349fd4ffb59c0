"""Checks what came of a play with the golden model, all commands at once."""

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from model import FaultKind, Play, Played, ResponseBatch, execute_in_order
from tb.mismatch import describe_mismatch
from tb.ports import RESPONSE_PAYLOAD, ObservedResponse


def check_play(contents: NDArray[np.uint8], play: Play, played: Played) -> str:
    """The report of the first mismatch, or "" where every response is right.

    `contents`, uint8 (ub_bytes,), is the Unified Buffer before the play and becomes that after it.
    """
    commands = play.commands.take(slice(0, len(played.accepted)))
    fills_taken = play.fills.take(slice(0, len(played.filled)))
    expected = execute_in_order(contents, commands, played.accepted, fills_taken, played.filled)
    answered = len(played.answered)
    if answered > len(commands):
        return f"MISMATCH {answered} responses to {len(commands)} commands"
    wrong = played.unknown != 0
    for field in fields(ResponseBatch):
        differs = getattr(played.responses, field.name) != getattr(expected, field.name)[:answered]
        wrong |= differs.any(axis=1) if differs.ndim == 2 else differs
    if wrong.any():
        return _describe(int(wrong.argmax()), play, played, expected)
    if (answered, len(fills_taken)) != (len(play.commands), len(play.fills)):
        return (
            f"MISMATCH nothing has moved for too long: {len(commands)} of {len(play.commands)} commands "
            f"and {len(fills_taken)} of {len(play.fills)} fills accepted, {answered} responses"
        )
    return ""


def count_faults(responses: ResponseBatch) -> dict[str, int]:
    """How many responses report each kind of fault."""
    counts = {kind.name: int((responses.fault_kind == kind).sum()) for kind in FaultKind}
    return {name: count for name, count in counts.items() if count}


def _describe(number: int, play: Play, played: Played, expected: ResponseBatch) -> str:
    when = (
        f"MISMATCH in command {number}, accepted in cycle {played.accepted[number]}, "
        f"answered in cycle {played.answered[number]}"
    )
    if unknown := int(played.unknown[number]) >> 8:
        names = [name for bit, name in enumerate(RESPONSE_PAYLOAD[1:]) if unknown >> bit & 1]
        return f"{when}\n  X in {', '.join(f'rsp_{name}' for name in names)}"
    if (fault := played.responses.fault_kind[number]) >= len(FaultKind):
        return f"{when}\n  rsp_fault is {fault}, which is no fault"
    got = played.responses.response(number)
    observed = ObservedResponse(
        got.data, int(played.unknown[number]) & 0xFF, got.block_we, got.base, got.fault
    )
    report = describe_mismatch(
        play.commands.command(number), expected.response(number), observed, unwritten=0
    )
    return f"{when}\n  {report}"
