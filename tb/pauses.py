"""Idle and backpressure generators: when a valid or a ready is low.

Both come in stretches of three moods, so that streams without a gap, long gaps and single-cycle
gaps all happen in one run: what is rare under a fixed probability is common here.
"""

from collections.abc import Iterator

from numpy.random import Generator

_STRETCH = 64  # transfers in one mood


def never() -> Iterator[int]:
    """No idle cycle before any transfer."""
    while True:
        yield 0


def idle_cycles(percent: int, rng: Generator) -> Iterator[int]:
    """How many idle cycles come before each transfer.

    `percent` is the share of idle cycles within a busy stretch, 0 to 90; 0 gives none at all.
    """
    if percent == 0:
        yield from never()
    busy = 1 - percent / 100
    while True:
        mood = rng.integers(3)
        if mood == 0:
            cycles = [0] * _STRETCH
        elif mood == 1:
            cycles = (rng.geometric(busy, _STRETCH) - 1).tolist()
        else:
            cycles = rng.choice([0, 1, 40], _STRETCH, p=[0.8, 0.15, 0.05]).tolist()
        yield from cycles


def ready_cycles(percent: int, rng: Generator) -> Iterator[tuple[int, int]]:
    """Pairs (cycles high, cycles low) of a ready; `percent` is the share of low cycles."""
    if percent == 0:
        while True:
            yield 1 << 16, 0
    for low in idle_cycles(percent, rng):
        yield 1, low
