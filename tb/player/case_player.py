"""Plays cases through the player: loads the Unified Buffer, plays from a reset on, checks all of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model import (
    BLOCK_BYTES,
    REGISTER_BYTES,
    Case,
    CommandBatch,
    FillBatch,
    Play,
    Played,
    wanted_blocks_batch,
)
from tb.mismatch import describe_command
from tb.player.play_check import Finding, PlayCheck, check_cycles
from tb.player.player import Player


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of a case, and what is wrong with it, the earliest first."""

    played: Played
    check: PlayCheck
    findings: tuple[Finding, ...]


class CasePlayer:
    """Plays one case after another; `plays` counts them.

    The blocks that a case has, and those that it reads, are loaded through the fill port, then a
    reset follows. A block that already holds what it should is not loaded again, unless `trusting`
    is False: a faulty unit may have lost it.
    """

    def __init__(self, player: Player, parameters: Mapping[str, int]) -> None:
        self.parameters = parameters
        self.plays = 0
        self._player = player
        self._blocks = parameters["UB_BYTES"] // BLOCK_BYTES
        self._holds = np.zeros((self._blocks, BLOCK_BYTES), np.uint8)
        self._known = np.zeros(self._blocks, np.bool_)

    async def run(self, case: Case, *, trusting: bool = False, waves: bool = False) -> Outcome:
        """Play `case` and check it."""
        play = case.play()
        await self._load(case, play, trusting)
        played = await self._player.play(play, waves=waves)
        self.plays += 1
        contents = self._holds.reshape(-1)
        check = PlayCheck(contents, play, played)
        findings = [check.first_wrong(), check_cycles(play, played, self.parameters)]
        # What a reset, or a hang, leaves of the last fills is not known.
        if len(play.resets) or len(played.filled) < len(play.fills):
            self._known[:] = False
        found = sorted(filter(None, findings), key=lambda finding: finding.cycle)
        if not found:
            found = [*_against_expected(case, played)]
        return Outcome(played, check, tuple(found))

    async def _load(self, case: Case, play: Play, trusting: bool) -> None:
        if not trusting:
            self._known[:] = False
        loaded = np.zeros(self._blocks, np.bool_)
        loaded[: len(case.contents) // BLOCK_BYTES] = True
        loaded[_read_blocks(play.commands, self.parameters["UB_BYTES"])] = True
        contents = np.frombuffer(case.contents, np.uint8)
        contents = np.pad(contents, (0, self._blocks * BLOCK_BYTES - len(contents)))
        contents = contents.reshape(-1, BLOCK_BYTES)
        self._holds[~self._known] = 0
        same = self._known & (self._holds == contents).all(axis=1)
        blocks = np.flatnonzero(loaded & ~same)
        self._holds[blocks], self._known[blocks] = contents[blocks], True
        if len(blocks):
            address = (BLOCK_BYTES * blocks).astype(np.uint32)
            await self._player.play(_fills_only(FillBatch(address, contents[blocks])))


def _against_expected(case: Case, played: Played) -> Iterator[Finding]:
    """Where the data of a case are others than the unit and the golden model agree on."""
    if not case.expected or case.resets:
        return
    expected = np.frombuffer(case.expected, np.uint8).reshape(-1, REGISTER_BYTES)
    differs = (played.responses.data != expected).any(axis=1)
    if differs.any():
        number = int(differs.argmax())
        lane = int((played.responses.data[number] != expected[number]).argmax()) // BLOCK_BYTES
        report = (
            f"MISMATCH in command {number} between the expected data of the case and the golden model, "
            f"which agrees with the unit\n  {describe_command(case.commands[number])}\n  DataBlock {lane}"
        )
        yield Finding("expected data", int(played.answered[number]), report)


def _read_blocks(commands: CommandBatch, ub_bytes: int) -> NDArray[np.intp]:
    """The numbers of the blocks that commands read, each once, in order."""
    wanted = np.array(wanted_blocks_batch(commands, ub_bytes), np.intp).reshape(-1)
    return np.unique(wanted[wanted >= 0])


def _fills_only(fills: FillBatch) -> Play:
    none = np.zeros((0, 2), np.uint32)
    return Play(
        CommandBatch.from_commands([]),
        np.zeros(0, np.uint32),
        fills,
        np.zeros(len(fills), np.uint32),
        ready=none,
        resets=none,
    )
