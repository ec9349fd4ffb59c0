"""A case cycle by cycle: parts of its time as cases of their own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from numpy.typing import NDArray

from model import BLOCK_BYTES, Case, level_pairs, levels, predict


class Timeline:
    """What is driven in which cycle of a case, up to cycle `end`, by the cycle model.

    `parameters` are those of the design. Cycle 0 is the one without a transfer, behind the reset.
    """

    def __init__(self, case: Case, end: int, parameters: Mapping[str, int]) -> None:
        play = case.play()
        sizes = (parameters[name] for name in ("UB_BYTES", "BANKS", "WINDOW"))
        timing = predict(play, *sizes, end + 1)
        self._case = case
        self._ub_bytes = parameters["UB_BYTES"]
        self._lost_fills = timing.lost_fills
        self._commands = _transfers(play.command_gaps, timing.accepted)
        self._fills = _transfers(play.fill_gaps, timing.filled)
        self._ready = list(islice(levels(play.ready, first=True), end + 1))
        self._resets = list(islice(levels(play.resets, first=False), end + 1))
        self.cycles = end + 1

    def kept(self, cycles: Sequence[int]) -> Case:
        """The case without the cycles that are not among these: what is driven in them, and their time."""
        place = {cycle: number for number, cycle in enumerate([0, *cycles])}
        commands = [number for number, cycle in enumerate(self._commands) if cycle in place]
        fills = [number for number, cycle in enumerate(self._fills) if cycle in place]
        fill_gaps = _gaps([place[self._fills[number]] for number in fills])
        case = self._case
        return replace(
            case,
            commands=tuple(case.commands[number] for number in commands),
            gaps=_gaps([place[self._commands[number]] for number in commands]),
            fills=tuple(
                replace(case.fills[number], gap=gap)
                for number, gap in zip(fills, fill_gaps, strict=True)
            ),
            ready=level_pairs([self._ready[cycle] for cycle in place], first=True),
            resets=level_pairs([self._resets[cycle] for cycle in place], first=False),
            expected=b"",
        )

    def since(self, start: int) -> Case:
        """The case from a cycle on, with what the fills before it have written in its contents."""
        contents = bytearray(self._case.contents.ljust(self._ub_bytes, b"\0"))
        for number, cycle in enumerate(self._fills):
            address, data = self._case.fills[number].address, self._case.fills[number].data
            whole = address % BLOCK_BYTES == 0 and address < self._ub_bytes
            if whole and cycle < start and number not in self._lost_fills:
                contents[address : address + BLOCK_BYTES] = data
        later = self.kept(range(start, self.cycles))
        return replace(later, contents=_whole_blocks(contents.rstrip(b"\0")))

    def ends(self) -> Iterator[Case]:
        """What leads up to the end: the last two commands first, then more and more, at last all."""
        count = 2
        while count < len(self._commands):
            yield self.since(self._commands[-count])
            count *= 2
        if self._commands:
            yield self.since(self._commands[0])
        yield self.kept(range(1, self.cycles))


def _transfers(gaps: NDArray, transfers: NDArray) -> list[int]:
    """The cycle of each transfer, and of the offer that was still waiting at the end."""
    cycles = transfers.tolist()
    if len(cycles) < len(gaps):
        cycles.append(int(gaps[len(cycles)]) + 1 + (cycles[-1] if cycles else 0))
    return cycles


def _gaps(cycles: Sequence[int]) -> tuple[int, ...]:
    return tuple(now - before - 1 for before, now in zip([0, *cycles], cycles, strict=False))


def _whole_blocks(contents: bytearray) -> bytes:
    count = max(1, -(-len(contents) // BLOCK_BYTES))
    return bytes(contents.ljust(count * BLOCK_BYTES, b"\0"))
