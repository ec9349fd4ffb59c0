"""Tests of block_xbar alone: right blocks in right lanes, at the pace that its header promises."""

from collections.abc import Iterator, Sequence

import numpy as np

from model import LANES
from tb.block_xbar_bench import LATENCY, SLOTS, BlockXbarBench, Request
from tb.pauses import idle_cycles
from tb.proves import proves
from tb.stimulus import biased_commands
from tb.unit_bench import unit_test

_LANES = range(LANES)


@unit_test(BlockXbarBench)
@proves("ST-6", "CY-4")
async def blocks_reach_their_lanes_at_full_pace(bench: BlockXbarBench) -> None:
    """OPS random commands back to back: right blocks in right lanes, and none waits for others."""
    await bench.reset()
    requests = _random_requests(bench, bench.config.ops)
    await bench.fill(requests)
    await bench.send(requests)
    bench.check_pace()
    turns = [request.turns for request in requests]
    cycles = bench.completed[-1] - bench.entered[0]
    if bench.window == 1:
        # In lock step no read serves two commands, so each block of each command is read once.
        _expect(bench, "reads", len(bench.reads), sum(len(request.wanted) for request in requests))
        _expect(bench, "cycles of the sequence", cycles, sum(turns))
    bench.record.lines.append(
        f"{len(requests) / cycles:.3f} commands per cycle, lock step {len(turns) / sum(turns):.3f}"
    )


@unit_test(BlockXbarBench)
async def blocks_reach_their_lanes_with_pauses(bench: BlockXbarBench) -> None:
    """Random commands with gaps in between, so that queues run empty and fill again."""
    await bench.reset()
    requests = _random_requests(bench, bench.config.ops // 4)
    await bench.fill(requests)
    await bench.send(requests, idle_cycles(50, bench.config.rng("pauses")))
    bench.check_pace()


@unit_test(BlockXbarBench)
@proves("ST-5", "GB-4", "GB-10", "LA-11", "CY-1")
async def a_lone_command_reads_each_block_once_in_max_1_D_cycles(bench: BlockXbarBench) -> None:
    """Every D, each lane alone, all blocks equal, random ones; inactive lanes read nothing."""
    await bench.reset()
    requests = [*_lone_requests(bench), *_random_requests(bench, bench.config.ops // 16)]
    await bench.fill(requests)
    for number, request in enumerate(requests):
        bench.reads.clear()
        await bench.send([request])
        entered = bench.entered[number]
        turns = bench.completed[number] - entered
        _expect(bench, f"cycles of the reads of {request}", turns, request.turns)
        latency = bench.done[number] - entered
        _expect(bench, f"cycles to done of {request}", latency, LATENCY + request.turns)
        read = sorted(block for _, block in bench.reads)
        _expect(bench, f"reads of {request}", read, sorted(request.wanted))


def _lone_requests(bench: BlockXbarBench) -> Iterator[Request]:
    last = bench.blocks - 1
    for bank in {0, bench.banks // 2, bench.banks - 1}:
        rows = bench.blocks // bench.banks
        for degree in range(1, min(rows, LANES) + 1):
            blocks = [bench.banks * (lane % degree) + bank for lane in _LANES]
            yield bench.gather(blocks)
            yield bench.gather(blocks[::-1], active=0x55)
    for active in bench.config.rng("active lanes").integers(256, size=32).tolist():
        yield bench.gather([active % bench.blocks] * LANES, active)
    for lane in _LANES:
        blocks = [0] * LANES
        blocks[lane] = last
        yield bench.gather(blocks, active=1 << lane)
        yield bench.gather(blocks, active=0xFF ^ 1 << lane)


@unit_test(BlockXbarBench)
async def the_oldest_command_wins_its_bank(bench: BlockXbarBench) -> None:
    """Younger commands of other lanes want the same bank in every cycle and delay it by none."""
    await bench.reset()
    rng = bench.config.rng("old lanes")
    sequences = [_crowd(bench, rng.permutation(LANES).tolist()) for _ in range(24)]
    await bench.fill(request for sequence in sequences for request in sequence)
    for sequence in sequences:
        oldest = len(bench.entered)
        await bench.send(sequence)
        turns = bench.completed[oldest] - bench.entered[oldest]
        _expect(bench, f"cycles of the oldest {sequence[0]}", turns, sequence[0].turns)
    bench.check_pace()


def _crowd(bench: BlockXbarBench, lanes: list[int], young_bank: int | None = None) -> list[Request]:
    """A command of the first four lanes in one bank, and younger ones of the others behind it.

    These are alike and in the same bank, or in `young_bank`.
    """
    rows = bench.blocks // bench.banks
    old_bank = lanes[0] % bench.banks
    young_bank = old_bank if young_bank is None else young_bank % bench.banks
    blocks = [0] * LANES
    for turn, lane in enumerate(lanes):
        bank = old_bank if turn < LANES // 2 else young_bank
        blocks[lane] = bench.banks * (turn % rows) + bank
    old = sum(1 << lane for lane in lanes[: LANES // 2])
    return [bench.gather(blocks, old), *[bench.gather(blocks, 0xFF ^ old)] * bench.window]


@unit_test(BlockXbarBench)
@proves("CY-9")
async def lanes_run_ahead_as_far_as_the_window_and_no_further(bench: BlockXbarBench) -> None:
    """While seven lanes share one bank the eighth goes on reading from another."""
    await bench.reset()
    if bench.banks == 1:
        bench.record.lines.append("with one bank there is no other to go on reading from")
        return
    rows = bench.blocks // bench.banks
    for lane in _LANES:
        others = 0xFF ^ 1 << lane
        crowd = bench.gather([bench.banks * ((lane + i) % rows) for i in _LANES], others)
        alone = bench.gather([1] * LANES, 1 << lane)
        await bench.fill([crowd, alone])
        bench.reads.clear()
        oldest = len(bench.entered)
        await bench.send([crowd] + [alone] * (bench.window + 1))
        completion = bench.completed[oldest]
        ahead = sum(block == 1 and cycle <= completion for cycle, block in bench.reads)
        possible = min(bench.window - 1, crowd.turns - 1)
        _expect(bench, f"reads of lane {lane} before all of {crowd}", ahead, possible)


@unit_test(BlockXbarBench)
@proves("ST-6", "OR-2")
async def a_fill_is_seen_by_the_commands_after_it_and_no_other(bench: BlockXbarBench) -> None:
    """Fills of blocks that the commands around them read, as often as fills can go."""
    await bench.reset()
    rng = bench.config.rng("fills")
    requests = _random_requests(bench, bench.config.ops // 4)
    await bench.fill(requests)
    for number, request in enumerate(requests):
        near = requests[max(0, number - int(rng.integers(4)))]
        if not bench.fill_waits and rng.random() < 0.8:
            bench.offer_fill(near.blocks[rng.integers(LANES)])
        await bench.enter(request)
    await bench.drain()


@unit_test(BlockXbarBench)
@proves("OR-2")
async def a_lane_that_runs_ahead_waits_for_the_fill_before_it(bench: BlockXbarBench) -> None:
    """A fill waits for an old command; younger lanes want its block and could read at once."""
    await bench.reset()
    rng = bench.config.rng("old lanes")
    for lanes in rng.permuted(np.tile(_LANES, (24, 1)), axis=1).tolist():
        old, *young = _crowd(bench, lanes, young_bank=lanes[0] + 1)
        await bench.fill([old])
        await bench.enter(old)
        bench.offer_fill(young[0].blocks[lanes[-1]])
        await bench.send(young)


@unit_test(BlockXbarBench)
async def a_result_stays_until_its_slot_is_used_again(bench: BlockXbarBench) -> None:
    """All slots in any order, then once more after one of them was used again."""
    await bench.reset()
    requests = _random_requests(bench, SLOTS + 1)
    await bench.fill(requests)
    await bench.send(requests[:SLOTS])
    await _check_slots(bench, range(SLOTS))
    await bench.send(requests[SLOTS:])
    await _check_slots(bench, range(1, SLOTS + 1))


async def _check_slots(bench: BlockXbarBench, numbers: Sequence[int]) -> None:
    """Read again the results of these commands, in random order."""
    for number in bench.config.rng("slots").permutation(numbers).tolist():
        bench.dut.result_slot.value = number % SLOTS
        await bench.cycle()
        bench.check_slot(number, bench.result_of(bench.requests[number]))


@unit_test(BlockXbarBench)
@proves("RS-3")
async def a_reset_forgets_what_is_in_flight(bench: BlockXbarBench) -> None:
    """Resets in every phase of commands in flight; then nothing comes, and new commands work."""
    await bench.reset()
    requests = _random_requests(bench, 64)
    await bench.fill(requests)
    for phase in range(12):
        for request in requests[: bench.window + 2]:
            if bench.has_room:
                await bench.cycle(request)
        for _ in range(phase):
            await bench.cycle()
        await bench.reset()
        for _ in range(8):
            await bench.cycle()
        await bench.send(requests[4 * phase : 4 * phase + 8])
        bench.check_pace()


def _random_requests(bench: BlockXbarBench, count: int) -> list[Request]:
    rng = bench.config.rng("commands")
    return bench.requests_of(biased_commands(max(1, count), rng, bench.ub_bytes))


def _expect(bench: BlockXbarBench, what: str, got: object, expected: object) -> None:
    if got != expected:
        bench.fail(f"MISMATCH {what}: got {got}, expected {expected}")
