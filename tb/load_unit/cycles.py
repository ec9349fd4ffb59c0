"""The cycles of specification, section 6: latency, throughput, lock step and beyond."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model import (
    BLOCK_BYTES,
    LANES,
    Command,
    CommandBatch,
    Dtype,
    MaskPattern,
    Op,
    conflict_degree,
    conflict_degree_batch,
    create_mask,
    simulate,
)
from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.pauses import never
from tb.proves import proves
from tb.stimulus import biased_commands

LATENCY = 5  # L of section 6, stated in the header of the top module
BUFFERS = 4  # commands that buffers in front may take sooner, at WINDOW = 1
STRIDES = (0, 1, 2, 4, 8, 16, 17, 144, 145)
FULL_MASK = create_mask(Dtype.B32, MaskPattern.ALL)


@dataclass(frozen=True)
class Timing:
    """The cycle of acceptance and of the response's transfer of each command of a sequence."""

    accepted: list[int]
    answered: list[int]

    @property
    def rate(self) -> float:
        """Commands per cycle, from the first response to the last."""
        return (len(self.answered) - 1) / (self.answered[-1] - self.answered[0])


async def time_commands(
    bench: LoadUnitBench,
    commands: CommandBatch | Sequence[Command],
    fills: Sequence[tuple[int, bytes]] = (),
) -> Timing:
    """Send commands and fills, each back to back, into an idle unit; note the commands' cycles."""
    await bench.drain()
    await bench.cycles(LATENCY)
    bench.commands.use_pauses(never())
    bench.fills.use_pauses(never())
    bench.send_batch(commands)
    for address, data in fills:
        bench.send_fill(address, data)
    await bench.drain()
    board = bench.scoreboard
    return Timing(board.accepted_cycles[-len(commands) :], board.answered_cycles[-len(commands) :])


def gather_of_degree(degree: int, banks: int, mask: int = FULL_MASK) -> Command:
    """A GatherB with `degree` distinct rows of bank 0, and all other lanes the same block."""
    index = tuple(BLOCK_BYTES * banks * min(lane, degree - 1) for lane in range(LANES))
    return Command(Op.GATHERB, Dtype.B32, base=0, mask=mask, index=index)


def rows(bench: LoadUnitBench) -> int:
    """Rows in each bank."""
    return bench.blocks // bench.banks


@load_unit_test
@proves("CY-7", "CY-8")
async def latency_in_an_idle_unit(bench: LoadUnitBench) -> None:
    """L + max(0, D - 1) cycles, L the same for every D, op and fault, also where nothing is read."""
    await bench.fill_everything()
    bench.accept_responses(0)
    gathers = [
        gather_of_degree(degree, bench.banks) for degree in range(1, min(8, rows(bench)) + 1)
    ]
    strided = [
        Command(Op.LOADALIGN, Dtype.B32, base=0, mask=FULL_MASK, block_stride=stride)
        for stride in (0, 1, bench.banks)
        if stride < bench.stride_limit
    ]
    nothing_read = [
        gather_of_degree(1, bench.banks, mask=0),
        Command(Op.LOADALIGN_POST_UPDATE, Dtype.B8, base=0, mask=0),
        Command(Op.LOADALIGN, Dtype.B64, base=0, mask=FULL_MASK),
        Command(Op.GATHERB, Dtype.B8, base=3, mask=FULL_MASK),
        Command(Op.LOADALIGN, Dtype.B16, base=bench.ub_bytes, mask=FULL_MASK),
    ]
    for command in gathers + strided + nothing_read:
        timing = await time_commands(bench, [command])
        degree = conflict_degree(command, bench.banks, bench.ub_bytes)
        latency = timing.answered[0] - timing.accepted[0]
        assert latency == LATENCY + max(0, degree - 1), f"{latency} cycles at D = {degree}"
    bench.record.lines.append(f"latency {LATENCY} + max(0, D - 1) cycles")


@load_unit_test
@proves("FA-11", "CY-3")
async def one_command_per_cycle_without_conflicts(bench: LoadUnitBench) -> None:
    """Commands with D <= 1 are accepted one per cycle and answered one per cycle."""
    await bench.fill_everything()
    bench.accept_responses(0)
    rng = bench.config.rng("conflict-free")
    batch = biased_commands(2000, rng, bench.ub_bytes, bench.stride_limit)
    free = batch.take(conflict_degree_batch(batch, bench.banks, bench.ub_bytes) <= 1)
    timing = await time_commands(bench, free)
    for cycles in (timing.accepted, timing.answered):
        assert cycles[-1] - cycles[0] == len(free) - 1, "a cycle was lost"


@load_unit_test
@proves("ST-5", "LA-11", "FA-11", "CY-4", "CY-5")
async def lock_step_is_the_upper_bound(bench: LoadUnitBench) -> None:
    """n commands take the sum of their max(1, D) at WINDOW = 1, and never more at any window."""
    await bench.fill_everything()
    bench.accept_responses(0)
    rng = bench.config.rng("mixed")
    batch = biased_commands(400, rng, bench.ub_bytes, bench.stride_limit)
    degrees = conflict_degree_batch(batch, bench.banks, bench.ub_bytes)
    timing = await time_commands(bench, batch)
    finish = np.cumsum(np.maximum(1, degrees))  # of the reads of each command, in lock step
    answered = np.array(timing.answered) - timing.accepted[0]
    lock_step = LATENCY - 1 + finish
    if bench.window == 1:
        assert (answered == lock_step).all(), "not lock step"
        early = np.array(timing.accepted)[BUFFERS + 1 :] - timing.accepted[0]
        assert (early >= finish[: -BUFFERS - 1]).all(), f"more than {BUFFERS} accepted ahead"
    assert (answered <= lock_step).all(), "slower than lock step"
    predicted = simulate(batch, bench.ub_bytes, bench.banks, bench.window)
    assert (answered == predicted.answered).all(), "not the cycles that make cycles predicts"
    bench.record.lines.append(
        f"{len(batch)} mixed commands: {answered[-1]} cycles, lock step {lock_step[-1]}"
    )


@load_unit_test
@proves("OR-3")
async def fills_cost_their_own_bank_cycles_alone(bench: LoadUnitBench) -> None:
    """Beside fills of other blocks, conflict-free commands lose at most a cycle to each fill."""
    await bench.fill_everything()
    bench.accept_responses(0)
    rng = bench.config.rng("beside fills")
    read, written = bench.blocks // 2, bench.blocks - bench.blocks // 2
    # Eight blocks in a row are in eight banks only where there are so many, and so many to read.
    stride = int(bench.banks >= LANES and read >= LANES)
    room = read - (LANES - 1) * stride
    commands = [
        Command(
            Op.LOADALIGN,
            Dtype.B32,
            base=BLOCK_BYTES * (number % room),
            mask=FULL_MASK,
            block_stride=stride,
        )
        for number in range(400)
    ]
    degrees = {conflict_degree(command, bench.banks, bench.ub_bytes) for command in commands}
    assert degrees == {1}, "the commands are not free of conflicts"
    blocks = read + rng.integers(written, size=2 * len(commands))
    fills = [(BLOCK_BYTES * int(block), rng.bytes(BLOCK_BYTES)) for block in blocks]
    timing = await time_commands(bench, commands, fills)
    cycles = bench.scoreboard.fill_cycles
    during = sum(timing.accepted[0] <= cycle <= timing.answered[-1] for cycle in cycles)
    lost = timing.answered[-1] - timing.accepted[0] - LATENCY - (len(commands) - 1)
    assert lost <= during, f"{lost} cycles lost to {during} fills"
    # A fill waits for the reads of all commands before it, of which the unit holds a few more than
    # its window.
    assert during >= len(commands) // (bench.window + 4), (
        f"only {during} fills beside {len(commands)} commands"
    )
    if bench.window >= 2 and bench.banks >= 8:
        assert timing.rate > 0.9, f"{timing.rate:.3f} commands per cycle beside fills"
    bench.record.lines.append(
        f"{timing.rate:.3f} commands per cycle beside {during / len(commands):.3f} fills"
    )


@load_unit_test
@proves("ST-4", "CY-2", "CY-5")
async def rates(bench: LoadUnitBench) -> None:
    """Commands per cycle for fixed strides and random gathers, exact in lock step."""
    await bench.fill_everything()
    bench.accept_responses(0)
    limit = bench.blocks // LANES
    for stride in STRIDES:
        if stride >= min(limit, bench.stride_limit):
            continue
        room = bench.blocks - (LANES - 1) * stride
        commands = [
            Command(
                Op.LOADALIGN,
                Dtype.B32,
                base=BLOCK_BYTES * (number % room),
                mask=FULL_MASK,
                block_stride=stride,
            )
            for number in range(65)
        ]
        degree = conflict_degree(commands[0], bench.banks, bench.ub_bytes)
        rate = (await time_commands(bench, commands)).rate
        if bench.window == 1 or degree <= 1:
            assert rate == 1 / degree, f"stride {stride}: {rate} commands per cycle at D = {degree}"
        assert rate >= 1 / degree, f"stride {stride}: {rate} commands per cycle at D = {degree}"
        bench.record.rates[f"stride {stride}"] = rate
    rng = bench.config.rng("gathers")
    count = max(256, bench.config.ops)
    gathers = CommandBatch(
        op=np.full(count, Op.GATHERB, np.uint8),
        dtype=np.full(count, Dtype.B32, np.uint8),
        base=np.zeros(count, np.uint32),
        block_stride=np.zeros(count, np.uint32),
        repeat_stride=np.zeros(count, np.uint32),
        index=(BLOCK_BYTES * rng.integers(bench.blocks, size=(count, LANES))).astype(np.uint32),
        mask=np.full((count, 32), 0xFF, np.uint8),
    )
    degrees = conflict_degree_batch(gathers, bench.banks, bench.ub_bytes)
    rate = (await time_commands(bench, gathers)).rate
    lock_step = (count - 1) / int(degrees[1:].sum())
    assert rate == lock_step if bench.window == 1 else rate >= lock_step
    if bench.window >= 4 and bench.banks >= 16 and bench.blocks >= 4096:
        assert rate >= 0.78, f"{rate:.3f} random gathers per cycle"
        # Of other designs the specification does not ask for it.
        bench.record.proves.append("CY-6")
    bench.record.rates["random gather"] = rate
    bench.record.lines += [f"{name}: {rate:.3f}" for name, rate in bench.record.rates.items()]
