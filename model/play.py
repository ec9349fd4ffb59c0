"""A play: all that is driven into a unit, by cycle, and what comes of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, repeat

import numpy as np
from numpy.typing import NDArray

from model.arrays import check_arrays
from model.batch import CommandBatch, ResponseBatch
from model.fills import FillBatch

Pairs = tuple[tuple[int, int], ...]
"""Cycles at one level, then at the other one, again and again."""

OUTPUTS = ("cmd_ready", "fill_ready", "rsp_valid", "fill_error", "idle")
"""The outputs that are no payload, in the order of their bits in `Played.outputs`."""


@dataclass(frozen=True, slots=True, eq=False)
class Play:
    """n commands, m fills and the patterns of `rsp_ready` and `rst`.

    `command_gaps` uint32 (n,) and `fill_gaps` uint32 (m,) are the cycles in which valid is low
    before each transfer, counted from the transfer before it, or from the first cycle without reset,
    in which it is always low.
    `ready` uint32 (k, 2) has pairs (cycles high, cycles low); behind the last one it stays high.
    `resets` uint32 (r, 2) has pairs (cycles low, cycles high); behind the last one it stays low. The
    streams go on in a reset: a valid that is high then is transferred after it.
    Raises ValueError, naming the field, for another shape or type.
    """

    commands: CommandBatch
    command_gaps: NDArray[np.uint32]
    fills: FillBatch
    fill_gaps: NDArray[np.uint32]
    ready: NDArray[np.uint32]
    resets: NDArray[np.uint32]

    def __post_init__(self) -> None:
        expected = [
            ("command_gaps", np.uint32, (len(self.commands),)),
            ("fill_gaps", np.uint32, (len(self.fills),)),
            ("ready", np.uint32, (len(self.ready), 2)),
            ("resets", np.uint32, (len(self.resets), 2)),
        ]
        check_arrays(self, expected)

    def reset_cycles(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first cycle of each reset, and the first one behind it, both int64."""
        ends = self.resets.astype(np.int64).sum(axis=1).cumsum()
        lasting = self.resets[:, 1] > 0
        return (ends - self.resets[:, 1])[lasting], ends[lasting]


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """What came of a play; cycles count from the first one without reset.

    `accepted` int64 (a,), `filled` int64 (b,) and `answered` int64 (r,) are the cycles of the transfers
    of commands, fills and responses. `responses` are r, and `unknown` uint16 (r,) has a bit for each
    DataBlock (0 to 7) and field (8 on) of theirs that has an X.
    `outputs` uint16 (c,) and `outputs_unknown` uint16 (c,) are the levels of OUTPUTS from the cycles
    `output_cycles` int64 (c,) on, bit 5 that the payload of a response moved while it waited; the last
    of them is that of the last cycle. `accesses` int64 (b, 4) are those of the banks, if they were
    watched: cycle, block, bank, kind (0 a read, 1 a write, 2 unknown).
    """

    accepted: NDArray[np.int64]
    filled: NDArray[np.int64]
    answered: NDArray[np.int64]
    responses: ResponseBatch
    unknown: NDArray[np.uint16]
    output_cycles: NDArray[np.int64]
    outputs: NDArray[np.uint16]
    outputs_unknown: NDArray[np.uint16]
    accesses: NDArray[np.int64]

    @property
    def cycles(self) -> int:
        """How many cycles were played."""
        return int(self.output_cycles[-1]) + 1

    def outputs_by_cycle(self) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
        """`outputs` and `outputs_unknown` in each cycle."""
        lasts = np.diff(self.output_cycles, append=self.cycles)
        return np.repeat(self.outputs, lasts), np.repeat(self.outputs_unknown, lasts)


def offered_cycles(gaps: NDArray[np.uint32], transfers: NDArray[np.int64]) -> list[int]:
    """The first cycle with valid high of each of the `transfers`, and of the one behind them, if any."""
    behind = [0, *transfers.tolist()]
    return [before + 1 + gap for before, gap in zip(behind, gaps.tolist(), strict=False)]


def levels(pairs: NDArray[np.uint32], first: bool) -> Iterator[bool]:
    """A level cycle by cycle, without end, from pairs (cycles at `first`, cycles at the other one)."""
    for pair in pairs.tolist():
        for level, count in zip((first, not first), pair, strict=True):
            yield from repeat(level, count)
    yield from repeat(first)


def level_pairs(by_cycle: Sequence[bool | int], first: bool) -> Pairs:
    """The pairs (cycles at `first`, cycles at the other one) of a level that is given by cycle."""
    pairs: list[tuple[int, int]] = []
    at_first = 0
    for level, cycles in groupby(map(bool, by_cycle)):
        count = len(list(cycles))
        if level == first:
            at_first = count
        else:
            pairs.append((at_first, count))
            at_first = 0
    return tuple(pairs)
