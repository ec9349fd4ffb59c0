"""The parts of a case that can be made simpler: its numbers, its commands, its data."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from model import BLOCK_BYTES, LANES, Case, Command, Dtype, Fill, Op, wanted_blocks

_Item = TypeVar("_Item")
_LANE_MASK = (1 << 32) - 1
_FILL_WORD = 0xF0000000


@dataclass(frozen=True)
class Number:
    """One number of a case: what it is now, the case with another, and the steps in which it can go."""

    get: Callable[[Case], int]
    put: Callable[[Case, int], Case]
    unit: int = 1


def numbers_of(case: Case) -> Iterator[Number]:
    """Every gap and pause, address, index and stride."""
    for number in range(len(case.fills)):
        yield _of_fill(number, "gap")
        yield _of_fill(number, "address", BLOCK_BYTES)
    for name in ("ready", "resets"):
        for number in range(len(getattr(case, name))):
            yield _of_pair(name, number, 0)
            yield _of_pair(name, number, 1)
    for number in range(len(case.commands)):
        yield _gap(number)
        yield _of_command(number, "block_stride")
        yield _of_command(number, "repeat_stride")
        for lane in range(LANES):
            yield _index(number, lane)
        yield _of_command(number, "base", BLOCK_BYTES)


def with_command(case: Case, number: int, command: Command) -> Case:
    """The case with another command in place of this one."""
    return replace(case, commands=_replaced(case.commands, number, command))


def simplifications() -> list[Callable[[Command], Command]]:
    """Changes that make a command simpler to read, the boldest first."""

    def clear(lane: int) -> Callable[[Command], Command]:
        # GatherB has its bits elsewhere than LoadAlign.
        def change(command: Command) -> Command:
            own = 0xF << 4 * lane if command.op is Op.GATHERB else _LANE_MASK << 32 * lane
            return replace(command, mask=command.mask & ~own)

        return change

    def lowest_bit(lane: int) -> Callable[[Command], Command]:
        def change(command: Command) -> Command:
            own = command.mask & _LANE_MASK << 32 * lane
            return replace(command, mask=command.mask & ~own | own & -own)

        return change

    lanes = range(LANES)
    return [
        lambda command: replace(command, op=Op.LOADALIGN),
        lambda command: replace(command, mask=0),
        lambda command: replace(command, index=(0,) * LANES),
        lambda command: replace(command, mask=command.mask & _LANE_MASK),
        *(clear(lane) for lane in lanes),
        *(lowest_bit(lane) for lane in lanes),
        lambda command: replace(command, dtype=Dtype.B8),
    ]


def clearer_contents(case: Case, ub_bytes: int) -> Iterator[bytes]:
    """Contents that say less, down to the last block that is read."""
    read = [block for command in case.commands for block in wanted_blocks(command, ub_bytes)]
    size = BLOCK_BYTES * (1 + max([0, *read]))
    yield own_addresses(size)
    yield bytes(BLOCK_BYTES)
    yield case.contents[:size]


def clearer_fills(case: Case) -> Iterator[tuple[int, Fill]]:
    """Each fill with data that say which one it is."""
    for number, fill in enumerate(case.fills):
        first = _FILL_WORD + BLOCK_BYTES * number
        yield number, replace(fill, data=own_addresses(BLOCK_BYTES, first))


def own_addresses(size: int, first: int = 0) -> bytes:
    """Data in which each word of 32 bits is its own byte address, from `first` on."""
    return np.arange(first, first + size, 4, dtype="<u4").tobytes()


def with_fill(case: Case, number: int, fill: Fill) -> Case:
    """The case with another fill in place of this one."""
    return replace(case, fills=_replaced(case.fills, number, fill))


def _replaced(items: tuple[_Item, ...], number: int, item: _Item) -> tuple[_Item, ...]:
    return (*items[:number], item, *items[number + 1 :])


def _gap(number: int) -> Number:
    return Number(
        lambda case: case.command_gaps[number],
        lambda case, gap: replace(case, gaps=_replaced(case.command_gaps, number, gap)),
    )


def _of_command(number: int, field: str, unit: int = 1) -> Number:
    return Number(
        lambda case: getattr(case.commands[number], field),
        lambda case, value: with_command(
            case, number, replace(case.commands[number], **{field: value})
        ),
        unit,
    )


def _index(number: int, lane: int) -> Number:
    def put(case: Case, offset: int) -> Case:
        command = case.commands[number]
        return with_command(
            case, number, replace(command, index=_replaced(command.index, lane, offset))
        )

    return Number(lambda case: case.commands[number].index[lane], put, BLOCK_BYTES)


def _of_fill(number: int, field: str, unit: int = 1) -> Number:
    return Number(
        lambda case: getattr(case.fills[number], field),
        lambda case, value: with_fill(case, number, replace(case.fills[number], **{field: value})),
        unit,
    )


def _of_pair(name: str, number: int, side: int) -> Number:
    def put(case: Case, cycles: int) -> Case:
        pairs = getattr(case, name)
        pair = _replaced(pairs[number], side, cycles)
        return replace(case, **{name: _replaced(pairs, number, pair)})

    return Number(lambda case: getattr(case, name)[number][side], put)
