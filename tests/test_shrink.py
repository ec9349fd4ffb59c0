"""Delta debugging without a simulator: what fails is said by a function."""

import asyncio
from collections.abc import Callable

import numpy as np
import pytest

from model import Case, Command, Dtype, Fill, Op, active_lanes, predict
from tb.config import BenchConfig
from tb.random_play import random_play
from tb.shrink import Shrinker, Size
from tb.shrink.minimise import minimise_list, minimise_number
from tb.shrink.timeline import Timeline

PARAMETERS = {"UB_BYTES": 2048, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32}


def random_case(seed: int, idle: int = 0, backpressure: int = 0) -> Case:
    config = BenchConfig(seed, 200, idle, backpressure, PARAMETERS, "icarus")
    return Case.of_play("random", bytes(32), random_play(config, 200))


def shrink(case: Case, fails: Callable[[Case], int | None], seconds: float = 60) -> Case | None:
    async def play(candidate: Case) -> int | None:
        return fails(candidate)

    cycle = fails(case)
    assert cycle is not None
    return asyncio.run(Shrinker(play, PARAMETERS, seconds).shrink(case, cycle))


def accepted_cycle(case: Case, wanted: Callable[[Command], bool]) -> int | None:
    """The cycle in which the first such command is accepted."""
    numbers = [number for number, command in enumerate(case.commands) if wanted(command)]
    if not numbers:
        return None
    timing = predict(case.play(), 2048, 16, 4)
    return int(timing.accepted[numbers[0]])


@pytest.mark.proves("RN-23")
@pytest.mark.parametrize("idle, backpressure", [(0, 0), (30, 40)])
def test_one_command_is_left_of_what_one_command_causes(idle: int, backpressure: int) -> None:
    def wanted(command: Command) -> bool:
        active = active_lanes(command.op, command.dtype, command.mask)
        return command.op is Op.GATHERB and active >> 5 & 1 and command.index[5] >= 64

    minimal = shrink(random_case(1, idle, backpressure), lambda case: accepted_cycle(case, wanted))
    (command,) = minimal.commands
    # All that the failure does not need is zero, and what it needs as small as it goes.
    assert command == Command(Op.GATHERB, Dtype.B8, 0, 1 << 20, index=(0, 0, 0, 0, 0, 64, 0, 0))
    assert str(Size.of(minimal)) == "1 command"
    assert len(minimal.contents) <= 96


@pytest.mark.proves("RN-23")
def test_of_fills_and_commands_those_that_matter_stay_in_their_order() -> None:
    def fails(case: Case) -> int | None:
        """A fill is accepted in the cycle before a command that is a post-update."""
        timing = predict(case.play(), 2048, 16, 4)
        fills = set(timing.filled.tolist())
        for number, cycle in enumerate(timing.accepted.tolist()):
            if case.commands[number].op is Op.LOADALIGN_POST_UPDATE and cycle - 1 in fills:
                return cycle
        return None

    minimal = shrink(random_case(2), fails)
    assert (len(minimal.commands), len(minimal.fills)) == (1, 1)
    assert fails(minimal) == 2


@pytest.mark.proves("RN-23")
def test_a_stall_and_a_reset_stay_where_they_are_what_fails() -> None:
    case = random_case(3, backpressure=60)
    resets = ((100, 2), (40, 3))

    def fails(candidate: Case) -> int | None:
        lasting = [pair for pair in candidate.resets if pair[1]]
        stalls = [pair for pair in candidate.ready if pair[1] >= 2]
        return 150 if lasting and stalls and candidate.commands else None

    minimal = shrink(Case(**{**fields_of(case), "resets": resets}), fails)
    assert minimal.resets == ((0, 1),)
    assert minimal.ready == ((0, 2),)
    assert len(minimal.commands) == 1


def fields_of(case: Case) -> dict[str, object]:
    return {name: getattr(case, name) for name in Case.__dataclass_fields__}


@pytest.mark.proves("RN-23")
def test_what_does_not_fail_again_has_no_smaller_case() -> None:
    case = random_case(1)
    assert asyncio.run(Shrinker(never_fails, PARAMETERS, 60).shrink(case, 50)) is None


async def never_fails(case: Case) -> int | None:
    return None


@pytest.mark.proves("RN-23")
def test_out_of_time_the_smallest_so_far_is_kept() -> None:
    async def fails(case: Case) -> int | None:
        return 90

    shrinker = Shrinker(fails, PARAMETERS, seconds=-1)
    found = asyncio.run(shrinker.shrink(random_case(1), 90))
    assert shrinker.out_of_time and 1 <= len(found.commands) <= 3


def test_the_ends_of_a_timeline_are_driven_in_the_cycles_of_the_whole() -> None:
    case = random_case(4, idle=20, backpressure=30)
    timing = predict(case.play(), 2048, 16, 4)
    end = int(timing.accepted[120])
    whole = [*Timeline(case, end, PARAMETERS).ends()][-1]
    again = predict(whole.play(), 2048, 16, 4)
    assert (again.accepted[:121] == timing.accepted[:121]).all()
    filled = int(np.searchsorted(timing.filled, end))
    assert (again.filled[:filled] == timing.filled[:filled]).all()


def test_a_late_end_of_a_timeline_finds_what_the_fills_before_have_written() -> None:
    block = bytes([7]) * 32
    load = Command(Op.LOADALIGN, Dtype.B8, 64, 1)
    case = Case("", bytes(32), (load,) * 5, b"", (30, 0, 0, 0, 0), (Fill(64, block),))
    first = next(Timeline(case, 35, PARAMETERS).ends())
    assert first.contents[64:96] == block
    assert not first.fills and len(first.commands) == 2


@pytest.mark.parametrize("needed", [set(), {0}, {7}, {2, 3}, set(range(9))])
def test_a_list_is_minimised_to_what_is_needed(needed: set[int]) -> None:
    items = list(range(9))

    async def keep(places: list[int]) -> bool:
        kept = [items[place] for place in places]
        if needed <= set(kept):
            items[:] = kept
            return True
        return False

    asyncio.run(minimise_list(len(items), keep))
    assert set(items) == needed


@pytest.mark.parametrize(
    ("value", "unit", "least", "left"),
    [(0, 1, 0, 0), (1000, 1, 0, 0), (1000, 1, 77, 77), (1 << 31, 32, 70, 96), (101, 32, 3, 5)],
)
def test_a_number_is_minimised_in_its_steps(value: int, unit: int, least: int, left: int) -> None:
    now = [value]

    async def change(smaller: int) -> bool:
        if smaller >= least:
            now[0] = smaller
            return True
        return False

    asyncio.run(minimise_number(value, change, unit))
    assert now[0] == left
