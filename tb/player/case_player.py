"""Plays cases through the player: loads the Unified Buffer, plays from a reset on, checks all of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from model import (
    BLOCK_BYTES,
    MASK_BITS,
    REGISTER_BYTES,
    SLOTS_AHEAD,
    Case,
    Command,
    CommandBatch,
    Dtype,
    FillBatch,
    Op,
    Play,
    Played,
    Prediction,
    predict,
    wanted_blocks_batch,
)
from tb.mismatch import describe_command
from tb.player.play_check import Finding, PlayCheck, check_cycles, golden_responses
from tb.player.player import Player

LEFT_OVER = bytes.fromhex("bad0") * (BLOCK_BYTES // 2)
"""What the commands before a case have left in the unit."""

# Eight lanes read it one block apart, from block 0 on and from block 1 on.
_LEFT_OVER_BLOCKS = 9
_NO_PAIRS = np.zeros((0, 2), np.uint32)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of a case, what should have, and what is wrong with it, the earliest first."""

    played: Played
    prediction: Prediction
    check: PlayCheck
    findings: tuple[Finding, ...]


class CasePlayer:
    """Plays one case after another; `plays` counts them.

    The blocks that the case has, and those that it reads, are loaded through the fill port, then a
    reset follows. Before that some commands leave the same LEFT_OVER bytes wherever the unit keeps
    data of commands, so that a case does not depend on those before it.
    `trusting` saves time: no commands before it, and a block that holds what it should is not loaded
    again. A faulty unit may abuse that trust, in what it keeps or in what it has lost.
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
        played = await self._player.play(play, watch=True, waves=waves)
        self.plays += 1
        contents = self._holds.reshape(-1)
        expected = golden_responses(contents, play, played)
        check = PlayCheck(contents, play, played, expected)
        sizes = (self.parameters[name] for name in ("UB_BYTES", "BANKS", "WINDOW"))
        prediction = predict(play, *sizes, played.cycles)
        findings = [check.first_wrong(), *check_cycles(played, prediction.cycles)]
        # What a reset, or a hang, leaves of the last fills is not known.
        if len(play.resets) or len(played.filled) < len(play.fills):
            self._known[:] = False
        found = sorted(filter(None, findings), key=lambda finding: finding.cycle)
        if not found:
            found = [*_against_expected(case, played)]
        return Outcome(played, prediction, check, tuple(found))

    async def _load(self, case: Case, play: Play, trusting: bool) -> None:
        contents = np.frombuffer(case.contents, np.uint8)
        contents = np.pad(contents, (0, self._blocks * BLOCK_BYTES - len(contents)))
        contents = contents.reshape(-1, BLOCK_BYTES)
        wanted = np.zeros(self._blocks, np.bool_)
        wanted[: len(case.contents) // BLOCK_BYTES] = True
        wanted[_read_blocks(play.commands, self.parameters["UB_BYTES"])] = True
        if not trusting:
            self._known[:] = False
            wanted[:_LEFT_OVER_BLOCKS] = True
        self._holds[~self._known] = 0
        blocks = np.flatnonzero(wanted & ~(self._known & (self._holds == contents).all(axis=1)))
        self._holds[blocks], self._known[blocks] = contents[blocks], True
        fills = FillBatch((BLOCK_BYTES * blocks).astype(np.uint32), contents[blocks])
        if not trusting:
            await self._player.play(self._leaving_over(fills))
        elif len(fills):
            await self._player.play(_fills_only(fills))

    def _leaving_over(self, fills: FillBatch) -> Play:
        """Commands that read LEFT_OVER in each lane from both groups of banks, then `fills`.

        No two lanes want the same bank or block, where that is possible: a unit that fails in one of
        those is not to fail here.
        """
        slots = 1 << (self.parameters["WINDOW"] + SLOTS_AHEAD - 1).bit_length()
        stride = 1 if self._blocks >= _LEFT_OVER_BLOCKS else 0
        every_block = (1 << MASK_BITS) - 1
        commands = CommandBatch.from_commands(
            [
                Command(Op.LOADALIGN, Dtype.B8, BLOCK_BYTES * first, every_block, stride)
                for first in (0, 1)
                for _ in range(slots)
            ]
        )
        left_over = FillBatch(
            (BLOCK_BYTES * np.arange(min(_LEFT_OVER_BLOCKS, self._blocks))).astype(np.uint32),
            np.tile(np.frombuffer(LEFT_OVER, np.uint8), (min(_LEFT_OVER_BLOCKS, self._blocks), 1)),
        )
        command_gaps = np.zeros(len(commands), np.uint32)
        command_gaps[0] = len(left_over) + 4
        fill_gaps = np.zeros(len(left_over) + len(fills), np.uint32)
        fill_gaps[len(left_over) : len(left_over) + 1] = 2 * len(commands) + 16
        return Play(
            commands,
            command_gaps,
            FillBatch(
                np.concatenate([left_over.address, fills.address]),
                np.concatenate([left_over.data, fills.data]),
            ),
            fill_gaps,
            ready=_NO_PAIRS,
            resets=_NO_PAIRS,
        )


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
    no_commands, no_gaps = CommandBatch.from_commands([]), np.zeros(0, np.uint32)
    fill_gaps = np.zeros(len(fills), np.uint32)
    return Play(no_commands, no_gaps, fills, fill_gaps, ready=_NO_PAIRS, resets=_NO_PAIRS)
