"""A case cycle by cycle: parts of its time as cases of their own."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from numpy.typing import NDArray

from model import BLOCK_BYTES, Case, level_pairs, levels, offered_cycles, predict


class Timeline:
    """What is driven in which cycle of a case, up to cycle `end`, by the cycle model.

    There is something in it: it reaches to the first command or fill at least. `parameters` are those of the design. Cycle 0 is the one without a transfer, behind the reset.
    """

    def __init__(self, case: Case, end: int, parameters: Mapping[str, int]) -> None:
        play = case.play()
        sizes = (parameters[name] for name in ("UB_BYTES", "BANKS", "WINDOW"))
        offers = [1 + int(gaps[0]) for gaps in (play.command_gaps, play.fill_gaps) if len(gaps)]
        end = max(end, min(offers))
        timing = predict(play, *sizes, end + 1)
        self._case = case
        self._ub_bytes = parameters["UB_BYTES"]
        self._lost_fills = timing.lost_fills
        self._commands = _Stream(play.command_gaps, timing.accepted)
        self._fills = _Stream(play.fill_gaps, timing.filled)
        self._ready = list(islice(levels(play.ready, first=True), end + 1))
        self._resets = list(islice(levels(play.resets, first=False), end + 1))
        self.cycles = end + 1

    def kept(self, cycles: Sequence[int], *, waiting: bool = True) -> Case:
        """The case without the cycles that are not among these: what is driven in them, and their time.

        A valid that waited for its ready does so again, or (not `waiting`) comes just in time.
        """
        cycles = [0, *cycles]
        commands, gaps = self._commands.kept(cycles, waiting)
        fills, fill_gaps = self._fills.kept(cycles, waiting)
        case = self._case
        return replace(
            case,
            commands=tuple(case.commands[number] for number in commands),
            gaps=gaps,
            fills=tuple(
                replace(case.fills[number], gap=gap)
                for number, gap in zip(fills, fill_gaps, strict=True)
            ),
            ready=level_pairs([self._ready[cycle] for cycle in cycles], first=True),
            resets=level_pairs([self._resets[cycle] for cycle in cycles], first=False),
            expected=b"",
        )

    def since(self, start: int) -> Case:
        """The case from a cycle on, with what the fills before it have written in its contents."""
        contents = bytearray(self._case.contents.ljust(self._ub_bytes, b"\0"))
        for number, cycle in enumerate(self._fills.transfers):
            address, data = self._case.fills[number].address, self._case.fills[number].data
            whole = address % BLOCK_BYTES == 0 and address < self._ub_bytes
            if whole and cycle < start and number not in self._lost_fills:
                contents[address : address + BLOCK_BYTES] = data
        later = self.kept(range(start, self.cycles))
        return replace(later, contents=_whole_blocks(contents.rstrip(b"\0")))

    def ends(self) -> Iterator[Case]:
        """What leads up to the end: the last two commands first, then more and more, at last all."""
        commands = self._commands.transfers
        count = 2
        while count < len(commands):
            yield self.since(commands[-count])
            count *= 2
        if commands:
            yield self.since(commands[0])
        yield self.kept(range(1, self.cycles))


class _Stream:
    """The cycles in which each transfer of a stream is offered and takes place.

    The last one may still be waiting at the end: then it stands in the cycle of its offer.
    """

    def __init__(self, gaps: NDArray, transfers: NDArray) -> None:
        self.transfers = transfers.tolist()
        self._offers = offered_cycles(gaps, transfers)
        self.transfers += self._offers[len(self.transfers) :]

    def kept(self, cycles: Sequence[int], waiting: bool) -> tuple[list[int], tuple[int, ...]]:
        """The numbers of the transfers in these cycles, and the gap of each if no others exist."""
        place = {cycle: number for number, cycle in enumerate(cycles)}
        numbers = [number for number, cycle in enumerate(self.transfers) if cycle in place]
        gaps = []
        before = 0
        for number in numbers:
            now = place[self.transfers[number]]
            offered = bisect_left(cycles, self._offers[number]) if waiting else now
            gaps.append(max(0, offered - before - 1))
            before = now
        return numbers, tuple(gaps)


def _whole_blocks(contents: bytearray) -> bytes:
    count = max(1, -(-len(contents) // BLOCK_BYTES))
    return bytes(contents.ljust(count * BLOCK_BYTES, b"\0"))
