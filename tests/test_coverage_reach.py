"""What is out of reach of a design, tried out: all that small designs can be made to do.

For each covergroup that leaves out bins, small designs meet every command, or every order of cycles,
that could matter. They hit all bins and nothing else: each reason that is given is right, and there
is no bin that only looks as if it could be hit.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from coverage_examples import (
    ADDRESS_SPACE,
    DESIGNS,
    FULL,
    GOOD,
    GROUPS,
    LOADALIGN,
    POST_NORMAL,
    POST_UPDATE,
    SMALLEST,
    gather,
    load,
    observe,
)

from model import BLOCK_BYTES, LANES, Command, CommandBatch, Dtype, Op
from tb.coverage import Design, Observed, out_of_reach
from tb.directed import every_kind

LOADS = (LOADALIGN, POST_NORMAL, POST_UPDATE)
LAST = ADDRESS_SPACE - BLOCK_BYTES


def small(blocks: int, banks: int, stride_w: int = 32, window: int = 1) -> Design:
    """A design of so many DataBlocks."""
    return Design(blocks * BLOCK_BYTES, banks, window, stride_w)


def observe_batch(design: Design, batch: CommandBatch) -> Observed:
    """These commands in consecutive cycles."""
    count = len(batch)
    accepted = np.arange(1, count + 1)
    ready, resets = np.ones(count + 8, bool), np.zeros(count + 8, bool)
    no_fill = np.zeros(0, np.uint32), np.zeros(0, np.int64)
    return Observed(design, batch, accepted, accepted + 5, *no_fill, ready, resets)


def observe_commands(design: Design, commands: Sequence[Command]) -> Observed:
    """The same of single ones."""
    return observe_batch(design, CommandBatch.from_commands(commands))


def kept(trying: Callable[[Design], Iterable[Observed]]) -> Callable[[Design], Iterable[Observed]]:
    """The same, made once for each design: several groups sample it."""
    return cache(lambda design: tuple(trying(design)))


# ---- Every command -------------------------------------------------------------------------------
@kept
def every_command(design: Design) -> Iterator[Observed]:
    """Every op, type, set of lanes, stride and base within the design, and gathers in any order.

    Lanes of a GatherB are alike: which of them wants which DataBlock does not matter.
    """
    blocks = range(design.blocks)
    gathers = CommandBatch.concatenate([gathers_of(design, lanes) for lanes in range(LANES + 1)])
    ignored = Command(Op.GATHERB, Dtype.B32, 0, FULL ^ sum(1 << 4 * lane for lane in range(LANES)))
    batch = CommandBatch.concatenate([gathers, CommandBatch.from_commands([ignored])])
    tried = [(batch, Op.GATHERB, dtype) for dtype in Dtype]
    strides = range(min(design.blocks, design.largest_stride) + 1)
    # One bit of each DataBlock, those that never count, and all of them.
    bits = [sum(1 << 32 * lane + bit for lane in range(LANES)) for bit in (0, 1, 2)] + [FULL]
    lanes = [sum(0xFFFFFFFF << 32 * lane for lane in range(8) if n >> lane & 1) for n in range(256)]
    loads = [
        Command(LOADALIGN, Dtype.B8, BLOCK_BYTES * block, mask & bit, block_stride=stride)
        for block, stride, mask in product(blocks, strides, lanes)
        for bit in (bits if not block and not stride else bits[:1])
    ]
    batch = CommandBatch.from_commands(loads)
    tried += [(batch, op, dtype) for op, dtype in product(LOADS, Dtype)]
    for batch, op, dtype in tried:
        yield observe_batch(design, of_kind(batch, op, dtype))


def gathers_of(design: Design, lanes: int) -> CommandBatch:
    """Any DataBlocks in the first lanes, in ascending order."""
    blocks = np.array([*combinations_with_replacement(range(design.blocks), lanes)], np.uint32)
    index = np.zeros((len(blocks), LANES), np.uint32)
    index[:, :lanes] = BLOCK_BYTES * blocks
    one = CommandBatch.from_commands([gather(*[0] * lanes)])
    return replace(one.take(np.zeros(len(blocks), np.intp)), index=index)


def of_kind(batch: CommandBatch, op: Op, dtype: Dtype) -> CommandBatch:
    """The batch with this op and type in place of its own."""
    count = len(batch)
    kinds = {"op": np.full(count, op, np.uint8), "dtype": np.full(count, dtype, np.uint8)}
    return replace(batch, **kinds)


@kept
def every_fault(design: Design) -> Iterator[Observed]:
    """Each op and type with a base and an index, of each lane, that is good, misaligned or too far."""
    far = design.ub_bytes
    yield observe_commands(
        design,
        [
            Command(
                op,
                dtype,
                base,
                mask,
                index=(0,) * lane + (offset,) + (0,) * (7 - lane),
                block_stride=stride,
            )
            for op, dtype, base, offset in product(
                Op, Dtype, (0, 1, far - BLOCK_BYTES, far), (0, 1, far)
            )
            for lane, stride in product(range(LANES), (0, 1))
            for mask in (0, FULL, FULL ^ (1 << 4 * lane), 1 << 4 * lane, 1 << 32 * lane)
        ],
    )


@kept
def every_stride(design: Design) -> Iterator[Observed]:
    """All strides of few bits, or those around each power of two, at both ends of all addresses."""
    strides = {1 << power for power in range(33)} | {(1 << power) - 1 for power in range(33)}
    strides |= set(range(64)) | {(1 << 27) // 7 + 1}
    strides = sorted(stride for stride in strides if stride <= design.largest_stride)
    yield observe_commands(
        design,
        [
            load(base, *lanes, op=op, stride=stride, repeat=repeat)
            for op, base, stride in product(LOADS, (0, design.ub_bytes, LAST), strides)
            for repeat in {0, stride, design.largest_stride}
            for lanes in ([], *([lane] for lane in range(LANES)))
        ]
        + [
            gather(offset, base=base)
            for base in (0, LAST)
            for offset in (design.ub_bytes, 32, LAST)
        ],
    )


# ---- Every order of cycles -----------------------------------------------------------------------
def every_fill(design: Design) -> Iterator[Observed]:
    """A fill at every address up to twice the size, and at the last."""
    addresses = [*range(2 * design.ub_bytes), LAST]
    observed = observe_commands(design, [])
    yield Observed(
        design,
        observed.commands,
        observed.accepted,
        observed.answered,
        np.array(addresses, np.uint32),
        np.arange(len(addresses)),
        np.ones(len(addresses), bool),
        np.zeros(len(addresses), bool),
    )


@kept
def every_distance(design: Design) -> Iterator[Observed]:
    """A fill in every cycle around a command that reads its block, its bank, or another."""
    last = design.blocks - 1
    for cycle, block in product(range(40), (0, design.banks, last)):
        for command in (gather(0), gather(BLOCK_BYTES * last), gather()):
            yield observe([command], [20], [40], [(cycle, BLOCK_BYTES * block)], design=design)


@kept
def every_level(design: Design) -> Iterator[Observed]:
    """Up to eight commands of each D in flight, with rsp_ready low or high, and then a reset.

    It comes so long after the last command, with a fill just before it or not.
    """
    rows = min(design.rows, LANES)
    tall = gather(*(BLOCK_BYTES * design.banks * row for row in range(rows)))
    for count, command in product(range(9), (GOOD, tall)):
        for wait, stalled in product((1, 2, 3, 4, 5, 6, 7, 12), (False, True)):
            accepted = range(1, count + 1)
            first = accepted[0] + 5 + (rows - 1) * (command is tall) if count else 0
            rst = count + wait
            # In order, one in a cycle, in time or not at all.
            answers = [
                first + number if first + number < rst and not stalled else -1
                for number in range(count)
            ]
            for fills in ([], [(rst - 1, 0)]):
                low = range(100) if stalled else ()
                yield observe([command] * count, accepted, answers, fills, low, [rst], design)


# ---- The groups ----------------------------------------------------------------------------------
Try = Callable[[Design], Iterable[Observed]]
TINY = [SMALLEST, small(8, 4, 1), small(8, 1, 3), small(8, 2, 2), small(16, 4, 1)]
WIDTHS = [small(4, 2, stride_w) for stride_w in (1, 2, 3, 16, 17, 24, 25, 32)]
STRIDED = [*WIDTHS, small(7, 1, 1), small(8, 1, 1), small(64, 4, 3), small(64, 4, 4)]
ORDERS = [small(8, 4, window=1), small(8, 4, window=2), small(8, 1, window=3), small(2, 1, 1, 5)]

TRIED: dict[str, tuple[Try, list[Design]]] = {
    "commands": (every_command, TINY),
    "masks": (every_command, TINY),
    "conflicts": (every_command, TINY),
    "duplicates": (every_command, TINY),
    "faults": (every_fault, [SMALLEST, small(16, 4)]),
    "fault lanes": (every_fault, [SMALLEST, small(16, 4)]),
    "masked faults": (every_fault, [SMALLEST, small(16, 4)]),
    "block strides": (every_stride, WIDTHS),
    "repeat strides": (every_stride, WIDTHS),
    "address widths": (every_stride, STRIDED),
    "fill addresses": (every_fill, [SMALLEST, small(4, 2)]),
    "fills around reads": (every_distance, [small(8, 4)]),
    "fills beside commands": (every_distance, [small(8, 4)]),
    "occupancy": (every_level, ORDERS),
    "window and backpressure": (every_level, ORDERS),
    "resets": (every_level, ORDERS),
    "resets by stage": (every_level, ORDERS),
}


@pytest.mark.parametrize("name", TRIED)
def test_all_that_is_tried_hits_every_bin_and_no_other(name: str) -> None:
    group = GROUPS[name]
    trying, designs = TRIED[name]
    for design in designs:
        # sample raises where a bin is hit that is out of reach.
        hits = sum(group.sample(observed) for observed in trying(design))
        missed = [label for label, count in zip(group.bins(design), hits, strict=True) if not count]
        assert not missed, design


@pytest.mark.parametrize("name", GROUPS)
def test_every_reason_is_tried_out(name: str) -> None:
    given = {reason for design in DESIGNS for reason in GROUPS[name].reasons(design).values()}
    _, designs = TRIED.get(name, (None, []))
    tried = {reason for design in designs for reason in GROUPS[name].reasons(design).values()}
    assert given <= tried | {""}
    assert all(reason == "" or " " in reason for reason in given)


def test_what_one_design_reaches_is_not_out_of_reach_of_all() -> None:
    alone = out_of_reach([SMALLEST])
    reason = "the smallest Unified Buffer has a first DataBlock and a last one"
    assert alone["fill addresses"] == {reason: ["another block"]}
    both, other_way = out_of_reach([SMALLEST, DESIGNS[0]]), out_of_reach([DESIGNS[0], SMALLEST])
    assert "fill addresses" not in both and "fill addresses" not in other_way
    assert "LOADALIGN x MISALIGNED_INDEX" in both["faults"]["a LoadAlign has no indices"]
    assert out_of_reach([]) == {}


# ---- Directed commands ---------------------------------------------------------------------------
BY_COMMAND = ("commands", "conflicts", "duplicates", "masks", "block strides", "repeat strides")
BY_ADDRESS = ("edges", "address widths", "banks", "post-update chains")


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_one_command_of_every_kind_leaves_no_bin_to_luck(design: Design) -> None:
    observed = observe_commands(design, list(every_kind(design)))
    for name in (*BY_COMMAND, *BY_ADDRESS):
        group = GROUPS[name]
        hits = zip(group.bins(design), group.sample(observed).tolist(), strict=True)
        assert not [label for label, count in hits if not count], name
