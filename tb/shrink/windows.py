"""The last part of a case, as a case of its own: what a failure depends on is mostly near it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from model import BLOCK_BYTES, Case, Prediction, predict

_FIRST_WINDOW = 8  # commands
_GROWTH = 8
_LEAD_CYCLES = 8  # before the first command


def windows(case: Case, cycle: int, parameters: Mapping[str, int]) -> Iterator[Case]:
    """What leads up to `cycle`: the last few commands first, then more and more, at last all.

    Each window begins with a reset and with what the fills before it have written. The cycles are
    those of the cycle model.
    """
    play = case.play()
    sizes = (parameters[name] for name in ("UB_BYTES", "BANKS", "WINDOW"))
    timing = predict(play, *sizes, cycle + 1)
    accepted = timing.accepted
    starts = []
    window = _FIRST_WINDOW
    while window < len(accepted):
        starts.append(int(accepted[-window]))
        window *= _GROWTH
    if len(play.commands):
        starts.append(max(0, int(play.command_gaps[0]) - _LEAD_CYCLES))
    for start in dict.fromkeys([*starts, 0]):
        yield _window(case, start, cycle + 1, timing, parameters["UB_BYTES"])


def _window(case: Case, start: int, end: int, timing: Prediction, ub_bytes: int) -> Case:
    gaps = case.gaps or (0,) * len(case.commands)
    commands = _Part.of(gaps, timing.accepted, start)
    fills = _Part.of([fill.gap for fill in case.fills], timing.filled, start)
    contents = bytearray(case.contents.ljust(ub_bytes, b"\0"))
    for number, fill in enumerate(case.fills[: fills.first]):
        whole = fill.address % BLOCK_BYTES == 0 and fill.address < ub_bytes
        if whole and number not in timing.lost_fills:
            contents[fill.address : fill.address + BLOCK_BYTES] = fill.data
    return replace(
        case,
        contents=bytes(contents),
        commands=case.commands[commands.first : commands.stop],
        gaps=commands.gaps,
        fills=tuple(
            replace(fill, gap=gap)
            for fill, gap in zip(case.fills[fills.first : fills.stop], fills.gaps, strict=True)
        ),
        ready=_cut(case.ready, start, end),
        resets=_cut(case.resets, start, end),
        expected=b"",
    )


@dataclass(frozen=True)
class _Part:
    """Transfers `first` to `stop` of a stream, with their gaps from the start of the window on."""

    first: int
    stop: int
    gaps: tuple[int, ...]

    @staticmethod
    def of(gaps: tuple[int, ...] | list[int], transfers: NDArray[np.int64], start: int) -> "_Part":
        first = int(np.searchsorted(transfers, start))
        stop = min(len(gaps), len(transfers) + 1)  # with the one that was offered at the end
        own = list(gaps[first:stop])
        if own and start:
            offered = own[0] + 1 + (int(transfers[first - 1]) if first else 0)
            own[0] = max(0, offered - start - 1)
        return _Part(first, stop, tuple(own))


def _cut(pairs: tuple[tuple[int, int], ...], start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The cycles from `start` to `end` of a level that is given by pairs of cycles."""
    kept = []
    cycle = 0
    for pair in pairs:
        lengths = []
        for length in pair:
            inside = min(end, cycle + length) - max(start, cycle)
            lengths.append(max(0, inside))
            cycle += length
        if any(lengths):
            kept.append(tuple(lengths))
    return tuple(kept)
