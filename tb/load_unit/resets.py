"""Reset at any time: nothing transfers, nothing of before comes after, the contents stay."""

from itertools import product

import numpy as np

from model import BLOCK_BYTES, Command, Dtype, Op
from tb.load_unit.cycles import LATENCY, gather_of_degree, rows
from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.ports import cycle_now
from tb.proves import proves
from tb.stimulus import biased_commands, random_fills

ROUNDS = 24


@load_unit_test
@proves("PT-10", "RS-1", "RS-2", "RS-4", "RS-5")
async def reset_in_flight(bench: LoadUnitBench) -> None:
    """Resets of all lengths amid commands, fills, stalls and held valids."""
    await bench.fill_everything()
    rng = bench.config.rng("resets")
    for number in range(ROUNDS):
        bench.accept_responses(int(rng.choice([0, 50, 90])))
        batch = biased_commands(60, rng, bench.ub_bytes, bench.stride_limit)
        bench.send_batch(batch)
        bench.send_fills(random_fills(30, batch, rng, bench.ub_bytes))
        await bench.cycles(int(rng.integers(1, 60)))
        # The drivers hold their valids through the reset; what they show then is sent after it.
        bench.record.commands_sent -= bench.commands.forget_unsent()
        bench.fills.forget_unsent()
        await bench.reset(cycles=1 + number % 4)
        await bench.drain()
        await decide_uncertain_fills(bench)
    bench.record.lines.append(f"{ROUNDS} resets in flight")


@load_unit_test
@proves("RS-3")
async def reset_at_every_distance_from_a_command(bench: LoadUnitBench) -> None:
    """A lone command is dropped whole or answered whole, whichever stage a reset finds it in."""
    await bench.fill_everything()
    bench.accept_responses(0)
    command = Command(Op.LOADALIGN, Dtype.B32, base=0, mask=(1 << 256) - 1)
    board = bench.scoreboard
    delays = set()
    # The last reset finds the unit idle: the others must delay the next command no more.
    for distance in range(1, 24):
        bench.send(command)
        bench.send_fill(1, bytes(BLOCK_BYTES))  # dropped: fill_error is low in reset all the same
        await bench.cycles(distance)
        await bench.reset(cycles=1)
        end, first = cycle_now(), len(board.accepted_cycles)
        bench.send(command)
        await bench.drain()
        delays.add(board.accepted_cycles[first] - end)
        latencies = np.subtract(board.answered_cycles[first:], board.accepted_cycles[first:])
        assert (latencies == LATENCY).all(), f"latencies {latencies} after a reset"
        await bench.cycles(12)
    assert len(delays) == 1, f"{delays} cycles from the end of a reset to the next command"


@load_unit_test
@proves("RS-1", "RS-2", "RS-3", "RS-5")
async def reset_in_every_state(bench: LoadUnitBench) -> None:
    """The last command is in each stage, slow or not, behind responses that wait or behind none."""
    await bench.fill_everything()
    fast = gather_of_degree(1, bench.banks)
    slow = gather_of_degree(min(8, rows(bench)), bench.banks)
    queues = [[], [fast], [fast] * bench.window, [slow] + [fast] * (bench.window + 3)]
    for stalled, ahead, wait in product((False, True), queues, range(1, LATENCY + 5)):
        for last in ([], [fast], [slow]):
            bench.accept_responses(0)
            if stalled:
                bench.stall_responses()
            bench.send_batch(ahead)
            await bench.cycles(2 * LATENCY + len(ahead))
            bench.send_batch(last)
            bench.send_fill(BLOCK_BYTES * (wait % 2), bytes([wait]) * BLOCK_BYTES)
            await bench.cycles(wait)
            await bench.reset(cycles=1)
            # The next command follows at once, or the unit is idle for some cycles.
            await bench.cycles(LATENCY * stalled)
            bench.accept_responses(0)
            bench.send(fast)
            await bench.drain()
            await decide_uncertain_fills(bench)


async def decide_uncertain_fills(bench: LoadUnitBench) -> None:
    """Read the blocks of fills that a reset found unfinished: written whole or not at all."""
    board = bench.scoreboard
    board.settle()  # a fill accepted after the reset leaves no doubt about its block
    bench.accept_responses(0)
    for address, possible in board.uncertain.items():
        bench.send(Command(Op.GATHERB, Dtype.B8, base=address, mask=1))
        await bench.drain()
        got = board.last_observed.data[:BLOCK_BYTES]
        assert got in possible, f"block at {address:#x} is neither old nor new after a reset"
        board.buffer.fill(address, got)
    board.uncertain.clear()
