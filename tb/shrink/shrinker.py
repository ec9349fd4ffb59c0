"""Delta debugging: the smallest case that still fails in the same way.

Nothing here knows a simulator: a candidate is tried through a function that the caller passes.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from model import Case
from tb.shrink.case_parts import (
    clearer_contents,
    clearer_fills,
    numbers_of,
    simplifications,
    with_command,
    with_fill,
)
from tb.shrink.minimise import minimise_list, minimise_number
from tb.shrink.timeline import Timeline

_SAY_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Size:
    """How large a case is; `str` says it in words."""

    commands: int
    fills: int
    pauses: int
    resets: int

    @staticmethod
    def of(case: Case) -> "Size":
        """Commands, fills, gaps and stretches of backpressure, resets."""
        gaps = [gap for gap in (*case.gaps, *(fill.gap for fill in case.fills)) if gap]
        return Size(
            len(case.commands), len(case.fills), len(gaps) + len(case.ready), len(case.resets)
        )

    def __str__(self) -> str:
        counts = zip(("command", "fill", "pause", "reset"), astuple(self), strict=True)
        named = [(count, name) for name, count in counts if count or name == "command"]
        return ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in named)


class Shrinker:
    """Makes a case smaller for as long as `fails` says that a candidate still fails.

    `fails` plays a case and says in which cycle it shows the failure that is looked for, if it does;
    `parameters` are those of the design. After `seconds` no new candidate is tried, and `out_of_time`
    is True.
    """

    def __init__(
        self,
        fails: Callable[[Case], Awaitable[int | None]],
        parameters: Mapping[str, int],
        seconds: float,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.out_of_time = False
        self._fails = fails
        self._parameters = parameters
        self._deadline = time.monotonic() + seconds
        self._say = say
        self._said = time.monotonic()
        self._tried: set[int] = set()

    async def shrink(self, case: Case, cycle: int) -> Case | None:
        """The smallest case that fails as `case` did in `cycle`; None where none does."""
        for end in Timeline(case, cycle, self._parameters).ends():
            if (failing := await self._fails(end)) is not None:
                self._case, self._cycle = end, failing
                break
        else:
            return None
        before = None
        while before != self._case and not self.out_of_time:
            before = self._case
            await self._begin_later()
            await self._drop_whole_streams()
            await minimise_list(len(self._case.commands), self._keep_commands)
            await minimise_list(len(self._case.fills), self._keep_fills)
            for name in ("ready", "resets"):
                await minimise_list(
                    len(getattr(self._case, name)), lambda kept, name=name: self._keep(name, kept)
                )
            await self._drop_cycles()
            await self._simplify_commands()
            await self._lower_numbers()
            await self._clear_data()
        return self._case

    async def _try(self, candidate: Case) -> bool:
        """Whether the candidate fails; then it is the case from now on."""
        stimulus = (candidate.commands, candidate.command_gaps, candidate.fills)
        if not candidate.commands and not candidate.fills:
            return False
        key = hash((stimulus, candidate.ready, candidate.resets, candidate.contents))
        if key in self._tried:
            return False
        self._tried.add(key)
        if time.monotonic() > self._deadline:
            self.out_of_time = True
        if self.out_of_time or (cycle := await self._fails(candidate)) is None:
            return False
        self._case, self._cycle = candidate, cycle
        if time.monotonic() - self._said > _SAY_SECONDS:
            self._said = time.monotonic()
            self._say(f"shrinking: {Size.of(candidate)} after {len(self._tried)} plays")
        return True

    async def _begin_later(self) -> None:
        for end in Timeline(self._case, self._cycle, self._parameters).ends():
            if await self._try(end):
                return

    async def _drop_whole_streams(self) -> None:
        for nothing in ({"ready": ()}, {"resets": ()}, {"gaps": ()}, {"fills": ()}):
            await self._try(replace(self._case, **nothing))
        if len(self._case.ready) > 1:
            one_stall = (0, sum(map(sum, self._case.ready)))
            await self._try(replace(self._case, ready=(one_stall,)))
        fills = tuple(replace(fill, gap=0) for fill in self._case.fills)
        await self._try(replace(self._case, fills=fills))

    def _beside(self) -> bool:
        """Whether anything goes on beside the commands."""
        return bool(self._case.fills or self._case.ready or self._case.resets)

    async def _keep_commands(self, kept: Sequence[int]) -> bool:
        case = self._case
        gaps = case.command_gaps
        commands = tuple(case.commands[number] for number in kept)
        # Where something goes on beside the commands, those that stay keep their cycles first.
        choices = [_carried(gaps, kept)] if self._beside() else []
        for own in (*choices, tuple(gaps[number] for number in kept)):
            if await self._try(replace(case, commands=commands, gaps=own)):
                return True
        return False

    async def _keep_fills(self, kept: Sequence[int]) -> bool:
        case = self._case
        gaps = _carried([fill.gap for fill in case.fills], kept)
        fills = (
            replace(case.fills[number], gap=gap) for number, gap in zip(kept, gaps, strict=True)
        )
        return await self._try(replace(case, fills=tuple(fills)))

    async def _keep(self, name: str, kept: Sequence[int]) -> bool:
        """Of pairs of cycles; what is dropped becomes time at the first level of the next pair."""
        pairs = getattr(self._case, name)
        lengths = _carried([first + second - 1 for first, second in pairs], kept)
        merged = tuple(
            (length + 1 - pairs[number][1], pairs[number][1])
            for number, length in zip(kept, lengths, strict=True)
        )
        return await self._try(replace(self._case, **{name: merged}))

    async def _drop_cycles(self) -> None:
        """Drop stretches of time, with whatever is driven in them in any of the streams."""
        timeline = Timeline(self._case, self._cycle, self._parameters)
        kept = list(range(1, timeline.cycles))

        async def keep(places: Sequence[int]) -> bool:
            cycles = [kept[place] for place in places]
            for waiting in (False, True):
                if await self._try(timeline.kept(cycles, waiting=waiting)):
                    kept[:] = cycles
                    return True
            return False

        if self._beside():
            await minimise_list(len(kept), keep)

    async def _simplify_commands(self) -> None:
        for number in range(len(self._case.commands)):
            for simplify in simplifications():
                simpler = simplify(self._case.commands[number])
                await self._try(with_command(self._case, number, simpler))

    async def _lower_numbers(self) -> None:
        for number in numbers_of(self._case):

            async def change(value: int, number=number) -> bool:
                return await self._try(number.put(self._case, value))

            await minimise_number(number.get(self._case), change, number.unit)

    async def _clear_data(self) -> None:
        for contents in clearer_contents(self._case, self._parameters["UB_BYTES"]):
            if await self._try(replace(self._case, contents=contents)):
                break
        for number, fill in clearer_fills(self._case):
            await self._try(with_fill(self._case, number, fill))


def _carried(gaps: Sequence[int], kept: Sequence[int]) -> tuple[int, ...]:
    """Gaps of the transfers that are kept, with the time of the dropped ones before each."""
    carried = []
    begin = 0
    for number in kept:
        carried.append(sum(gaps[begin:number]) + number - begin + gaps[number])
        begin = number + 1
    return tuple(carried)
