"""Designs, commands and hand-made tests of a unit, for the tests of its functional coverage."""

from collections.abc import Iterable, Sequence

import numpy as np

from model import LANES, Command, CommandBatch, Dtype, Op
from tb.coverage import COVERGROUPS, Design, Observed
from tb.stimulus import biased_commands, random_fills

DESIGN = Design(ub_bytes=4096, banks=4, window=2, stride_w=32)
DEFAULTS = Design(ub_bytes=262144, banks=16, window=4, stride_w=32)
SMALLEST = Design(ub_bytes=64, banks=1, window=1, stride_w=1)
DESIGNS = [
    DESIGN,
    DEFAULTS,
    SMALLEST,
    Design(ub_bytes=16384, banks=8, window=1, stride_w=32),
    Design(ub_bytes=1024, banks=2, window=64, stride_w=5),
    Design(ub_bytes=4096, banks=64, window=3, stride_w=16),
    Design(ub_bytes=8192, banks=128, window=2, stride_w=2),
]
GROUPS = {group.name: group for group in COVERGROUPS}

GATHERB, LOADALIGN = Op.GATHERB, Op.LOADALIGN
POST_NORMAL, POST_UPDATE = Op.LOADALIGN_POST_NORMAL, Op.LOADALIGN_POST_UPDATE
ADDRESS_SPACE = 1 << 32
FULL = (1 << 256) - 1


def gather(*index: int, base: int = 0, dtype: Dtype = Dtype.B32) -> Command:
    """A GatherB with these indices in lanes 0, 1, ...; the other lanes are inactive."""
    mask = sum(1 << 4 * lane for lane in range(len(index)))
    return Command(GATHERB, dtype, base, mask, index=(*index, *[0] * (LANES - len(index))))


def load(base: int, *lanes: int, op: Op = LOADALIGN, stride: int = 1, repeat: int = 0) -> Command:
    """A LoadAlign of b8 with these lanes active."""
    mask = sum(1 << 32 * lane for lane in lanes)
    return Command(op, Dtype.B8, base, mask, block_stride=stride, repeat_stride=repeat)


GOOD = load(0, 0)
FAULTY = load(1, 0)


def observe(
    commands: Sequence[Command],
    accepted: Sequence[int] | None = None,
    answered: Sequence[int] | None = None,
    fills: Sequence[tuple[int, int]] = (),
    low: Iterable[int] = (),
    rst: Iterable[int] = (),
    design: Design = DESIGN,
) -> Observed:
    """One test of 100 cycles.

    `fills` are (cycle, byte address), `low` the cycles with rsp_ready low, `rst` those with rst
    high. If not said, a command in each cycle from 1 on, answered as soon as one without conflicts
    can be.
    """
    accepted = range(1, 1 + len(commands)) if accepted is None else accepted
    answered = [cycle + 5 for cycle in accepted] if answered is None else answered
    ready, resets = np.ones(100, bool), np.zeros(100, bool)
    ready[list(low)] = False
    resets[list(rst)] = True
    return Observed(
        design,
        CommandBatch.from_commands(commands),
        np.array(accepted, np.int64),
        np.array(answered, np.int64),
        np.array([address for _, address in fills], np.uint32),
        np.array([cycle for cycle, _ in fills], np.int64),
        ready,
        resets,
    )


def hits(group: str, observed: Observed) -> dict[str, int]:
    """The bins that were hit, and how often."""
    bins = GROUPS[group].bins(observed.design)
    counts = GROUPS[group].sample(observed).tolist()
    return {name: count for name, count in zip(bins, counts, strict=True) if count}


def random_observed(design: Design, seed: int, count: int) -> Observed:
    """Random commands and fills in consecutive cycles, some of them dropped by resets."""
    rng = np.random.default_rng(seed)
    batch = biased_commands(count, rng, design.ub_bytes, design.largest_stride + 1)
    fills = random_fills(count // 2, batch, rng, design.ub_bytes)
    resets = np.zeros(count + 20, bool)
    resets[count // 3] = resets[count // 2] = True
    accepted = np.delete(np.arange(count + 2), np.flatnonzero(resets))
    answered = accepted + 5
    for begin in np.flatnonzero(resets):
        answered[(accepted < begin) & (answered >= begin)] = -1
    return Observed(
        design,
        batch,
        accepted,
        answered,
        fills.address,
        np.sort(rng.integers(count, size=len(fills))),
        rng.random(count + 20) < 0.8,
        resets,
    )
