"""Minimising lists and numbers through a test that says whether a candidate will do."""

from collections.abc import Awaitable, Callable, Sequence


async def minimise_list(count: int, keep: Callable[[Sequence[int]], Awaitable[bool]]) -> None:
    """Drop as many of `count` items as possible: all, then by halves, quarters, ... of them.

    `keep` tries to go on with some of the present items, named by their places, and says whether it
    did. Later items are dropped first.
    """
    size = count
    while size:
        end = count
        while end:
            begin = max(0, end - size)
            if await keep([*range(begin), *range(end, count)]):
                count -= end - begin
            end = begin
        size //= 2


async def minimise_number(
    value: int, change: Callable[[int], Awaitable[bool]], unit: int = 1
) -> None:
    """Lower `value` as far as possible: to zero, to what is below `unit`, else by multiples of it.

    `change` tries to go on with another value and says whether it did.
    """
    rest = value % unit
    for smallest in dict.fromkeys((0, rest, rest + unit)):
        if smallest >= value or await change(smallest):
            return
    step = (value - rest) // unit
    while step := step // 2:
        while (smaller := value - step * unit) > 0 and await change(smaller):
            value = smaller
