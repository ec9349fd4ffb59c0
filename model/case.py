"""A case: contents of the Unified Buffer, what is driven into the unit, and the data that must come."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from model.batch import CommandBatch
from model.encodings import BLOCK_BYTES
from model.fills import FillBatch
from model.play import Pairs, Play
from model.prediction import predict, predicted_data
from model.values import Command


@dataclass(frozen=True, slots=True)
class Fill:
    """One fill: 32 bytes `data` for a byte `address`, after `gap` cycles with valid low."""

    address: int
    data: bytes
    gap: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One case.

    `contents` is the Unified Buffer from address 0 on; the bytes after it are zero. `expected` is
    256 bytes per command, all eight DataBlocks; a command that faults, or that a reset drops, gives
    zeros. `gaps` is the gap of each command, or empty where none has any. The gaps, `ready` (cycles
    high, cycles low) and `resets` (cycles low, cycles high) are as in a `Play`. `parameters` are those
    of the design that the case was made for, if that matters.
    """

    about: str
    contents: bytes
    commands: tuple[Command, ...]
    expected: bytes
    gaps: tuple[int, ...] = ()
    fills: tuple[Fill, ...] = ()
    ready: Pairs = ()
    resets: Pairs = ()
    parameters: Mapping[str, int] = field(default_factory=dict)

    @property
    def command_gaps(self) -> tuple[int, ...]:
        """The gap of each command."""
        return self.gaps or (0,) * len(self.commands)

    @staticmethod
    def of_play(about: str, contents: bytes, play: Play) -> "Case":
        """The case of a play; what it must give is still to be said (`completed`)."""
        fills = zip(
            play.fills.address.tolist(), play.fills.data, play.fill_gaps.tolist(), strict=True
        )
        return Case(
            about,
            contents,
            tuple(map(play.commands.command, range(len(play.commands)))),
            b"",
            gaps=tuple(play.command_gaps.tolist()),
            fills=tuple(Fill(address, data.tobytes(), gap) for address, data, gap in fills),
            ready=tuple(map(tuple, play.ready.tolist())),
            resets=tuple(map(tuple, play.resets.tolist())),
        )

    def play(self) -> Play:
        """All that is driven into the unit."""
        data = b"".join(fill.data for fill in self.fills)
        return Play(
            commands=CommandBatch.from_commands(self.commands),
            command_gaps=np.array(self.command_gaps, np.uint32),
            fills=FillBatch(
                np.array([fill.address for fill in self.fills], np.uint32),
                np.frombuffer(data, np.uint8).reshape(-1, BLOCK_BYTES),
            ),
            fill_gaps=np.array([fill.gap for fill in self.fills], np.uint32),
            ready=np.array(self.ready, np.uint32).reshape(-1, 2),
            resets=np.array(self.resets, np.uint32).reshape(-1, 2),
        )

    def completed(self, parameters: Mapping[str, int]) -> "Case":
        """This case for a design with these parameters, with the data that they give it."""
        play, ub_bytes = self.play(), parameters["UB_BYTES"]
        prediction = predict(play, ub_bytes, parameters["BANKS"], parameters["WINDOW"])
        expected = predicted_data(self.contents, play, prediction, ub_bytes)
        return replace(self, expected=expected, parameters=dict(parameters))
