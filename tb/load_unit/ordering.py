"""Fills and commands take effect in the order of acceptance, and neither starves the other."""

from dataclasses import replace
from itertools import product

import numpy as np

from model import BLOCK_BYTES, LANES, Command, Dtype, Op
from tb.directed import gather
from tb.load_unit.cycles import FULL_MASK, gather_of_degree, rows
from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.pauses import idle_cycles, never
from tb.proves import proves

HOT_BLOCKS = 4
SPANS = 64  # of so many cycles, each one cycle later than the one before


@load_unit_test
@proves("PT-7", "OR-2", "OR-6")
async def fills_and_reads_of_the_same_few_blocks(bench: LoadUnitBench) -> None:
    """Every command sees the fills accepted before it and no other, however close they come."""
    await bench.fill_everything()
    bench.accept_responses()
    rng = bench.config.rng("hot")
    count = bench.config.ops
    # The hot blocks share a bank where they can, so that reads queue up in front of the fills:
    # one half of them an even bank, the other half an odd one.
    parity = np.arange(2 * HOT_BLOCKS) // HOT_BLOCKS
    row = np.arange(2 * HOT_BLOCKS) % HOT_BLOCKS % rows(bench)
    hot = BLOCK_BYTES * (bench.banks * row + parity % bench.banks)
    index = hot[rng.integers(len(hot), size=(count, LANES))]
    anywhere = BLOCK_BYTES * rng.integers(bench.blocks, size=(count, LANES))
    index = np.where(rng.random((count, LANES)) < 0.3, anywhere, index)
    lanes = rng.integers(1, 1 << LANES, size=count)
    for number in range(count):
        mask = sum(1 << 4 * lane for lane in range(LANES) if lanes[number] >> lane & 1)
        bench.send(
            Command(Op.GATHERB, Dtype.B32, base=0, mask=mask, index=tuple(index[number].tolist()))
        )
    bench.fills.use_pauses(idle_cycles(40, rng))
    bench.commands.use_pauses(idle_cycles(20, rng))
    for _ in range(count):
        bench.send_fill(int(hot[rng.integers(len(hot))]), rng.bytes(BLOCK_BYTES))
    await bench.drain()


@load_unit_test
@proves("OR-1", "OR-3")
async def a_fill_at_every_distance_from_a_read(bench: LoadUnitBench) -> None:
    """Accepted before, with or after a command that reads its block, behind busy banks or none."""
    await bench.fill_everything()
    bench.accept_responses(0)
    rng = bench.config.rng("distance")
    block = BLOCK_BYTES * bench.banks
    reader = Command(Op.GATHERB, Dtype.B8, base=block, mask=FULL_MASK)
    busy = gather_of_degree(min(8, rows(bench)), bench.banks)
    same_cycle = 0
    for commands_before in range(4):
        for fill_delay in range(24):
            bench.send_batch([busy] * commands_before + [reader, reader])
            await bench.cycles(1 + fill_delay)
            bench.send_fill(block, rng.bytes(BLOCK_BYTES))
            bench.send(reader)
            await bench.drain()
            accepted = bench.scoreboard.accepted_cycles[-commands_before - 3 :]
            same_cycle += bench.scoreboard.last_fill_cycle in accepted
    assert same_cycle, "no fill was accepted in the cycle of a command"


@load_unit_test
@proves("OR-2")
async def a_fill_holds_turns_in_every_place(bench: LoadUnitBench) -> None:
    """Behind a slow command: turns that the fill holds, that read nothing, and that it leaves alone.

    Each order of three of them, from each place of the queues on in which the first one can stand.
    """
    await bench.fill_everything()
    bench.accept_responses(0)
    rng = bench.config.rng("places")
    held, free = 2 % bench.blocks, 4 % bench.blocks
    slow = gather_of_degree(min(8, rows(bench)), bench.banks)
    behind = (
        gather(*[held] * LANES),
        replace(gather(*[held] * LANES), mask=0),
        gather(*[free] * LANES),
    )
    bench.commands.use_pauses(never())
    bench.fills.use_pauses(never())
    places = 1 << bench.window.bit_length()
    for three in product(behind, repeat=3):
        for _ in range(places):
            # The fill is accepted with the slow command. One more moves what comes next by a place.
            bench.send_batch([slow, *three, gather(free)])
            bench.send_fill(BLOCK_BYTES * held, rng.bytes(BLOCK_BYTES))
            await bench.drain()


@load_unit_test
@proves("PT-7", "PT-8", "OR-5")
async def fills_one_per_cycle_while_no_command_is_in_flight(bench: LoadUnitBench) -> None:
    """Also those that are dropped, each of which raises fill_error for its one cycle."""
    rng = bench.config.rng("fills")
    bench.accept_responses(0)
    addresses = [
        0,
        32,
        1,
        64 % bench.ub_bytes,
        bench.ub_bytes - 32,
        bench.ub_bytes,
        33,
        (1 << 32) - 32,
    ]
    addresses += [1 << bit for bit in range(32)]
    addresses += (BLOCK_BYTES * rng.integers(bench.blocks, size=100)).tolist()
    addresses += rng.integers(1 << 32, size=50).tolist()
    first = bench.scoreboard.fills
    bench.fills.use_pauses(never())
    for address in addresses:
        bench.send_fill(address, rng.bytes(BLOCK_BYTES))
    await bench.cycles(1 + len(addresses))
    # The driver needs one edge to begin; from then on every edge takes a fill.
    assert bench.scoreboard.fills - first >= len(addresses) - 1, "a fill waited"
    await bench.drain()
    for number in range(bench.blocks if bench.blocks <= 512 else 0):
        bench.send(Command(Op.GATHERB, Dtype.B8, base=BLOCK_BYTES * number, mask=1))


@load_unit_test
@proves("OR-3", "OR-4")
async def neither_side_starves(bench: LoadUnitBench) -> None:
    """At least one command and one fill in any 16 * (WINDOW + 4) cycles, in the worst of mixes."""
    await bench.fill_everything()
    bench.accept_responses(0)
    limit = 16 * (bench.window + 4)
    deepest = min(8, rows(bench))
    one_bank = BLOCK_BYTES * bench.banks
    for degree in (1, deepest):
        for fill_block in (0, one_bank * (rows(bench) - 1), BLOCK_BYTES * (bench.blocks - 1)):
            await keep_both_busy(bench, gather_of_degree(degree, bench.banks), fill_block, limit)


async def keep_both_busy(
    bench: LoadUnitBench, command: Command, fill_block: int, limit: int
) -> None:
    """Both valids high; in any `limit` cycles of them there is one acceptance of each."""
    rng = bench.config.rng("busy")
    board = bench.scoreboard
    fill, cycles = rng.bytes(BLOCK_BYTES), limit + SPANS
    counts = []
    bench.commands.use_pauses(never())
    bench.fills.use_pauses(never())
    bench.send_batch([command] * cycles)
    for _ in range(cycles):
        bench.send_fill(fill_block, fill)
    await bench.cycles(2)  # the drivers need an edge to raise their valids
    for _ in range(cycles):
        await bench.cycles(1)
        counts.append((board.commands, board.fills))
    bench.record.commands_sent -= bench.commands.forget_unsent()
    bench.fills.forget_unsent()
    await bench.drain()
    taken = np.array(counts)
    least = (taken[limit:] - taken[:-limit]).min(axis=0).tolist()
    assert min(least) >= 1, f"commands and fills in {limit} cycles, at the least: {least}"
    bench.record.lines.append(f"commands and fills in any {limit} cycles: at least {least}")
