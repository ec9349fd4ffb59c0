"""What others wrote: public test vectors, the reference documents' own loops, real kernels."""

from pathlib import Path

from model import (
    BLOCK_BYTES,
    REGISTER_BYTES,
    WORKLOADS,
    Command,
    CommandBatch,
    Dtype,
    Op,
    Program,
    UnifiedBuffer,
    gather_b_program,
    load_align_program,
    read_case,
    run,
)
from tb.load_unit.cycles import FULL_MASK, time_commands
from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.proves import proves
from tb.rules import IDLE_WITHIN

VECTORS = Path(__file__).parents[2] / "tests" / "vectors"


@load_unit_test
@proves("GB-8", "RN-17")
async def vectors(bench: LoadUnitBench) -> None:
    """Cases on disk give their expected bytes, whatever the golden model says: those that were asked
    for, with their fills, gaps, backpressure and resets, else the public ones."""
    folders = [Path(folder) for folder in bench.config.cases]
    if not folders:
        assert bench.ub_bytes >= 4096, "the public vectors need UB_BYTES=4096 or more"
        folders = sorted(path.parent for path in VECTORS.glob("*/commands.json"))
    assert folders, f"no vectors in {VECTORS}"
    for folder in folders:
        await play_case(bench, folder)


async def play_case(bench: LoadUnitBench, folder: Path) -> None:
    """Load the contents of a case, play it from a reset on, and compare with its expected data."""
    case = read_case(folder)
    contents = case.contents.ljust(bench.ub_bytes, b"\0")
    for address in range(0, bench.ub_bytes, BLOCK_BYTES):
        bench.send_fill(address, contents[address : address + BLOCK_BYTES])
    await bench.drain()
    await bench.cycles(IDLE_WITHIN)
    await bench.reset()
    observed = bench.scoreboard.observed = []
    bench.start(case.play())
    await bench.drain()
    # What a reset drops has no response, and what it leaves of a fill is the unit's to decide.
    if not case.resets:
        for number, got in enumerate(observed):
            expected = case.expected[REGISTER_BYTES * number :][:REGISTER_BYTES]
            assert got.data == expected, f"{folder.name}: expected.bin has other data, {number}"
    bench.record.lines.append(f"{folder.name}: {len(case.commands)} commands")


@load_unit_test
@proves("GB-3", "GB-11", "LA-16", "RN-17")
async def reference_programs(bench: LoadUnitBench) -> None:
    """The call examples of both documents, loop for loop, their stores through the fill port."""
    assert bench.ub_bytes >= 16384, "the programs need UB_BYTES=16384 or more"
    await bench.fill_everything()
    bench.accept_responses()
    rng = bench.config.rng("programs")
    indices, source, destination, repeats = 0, 1024, 8192, 4
    table = BLOCK_BYTES * rng.integers(64, size=(repeats + 7) * 8)
    for number, offset in enumerate(table.reshape(-1, 8).astype("<u4")):
        bench.send_fill(indices + BLOCK_BYTES * number, offset.tobytes())
    await bench.drain()
    for dtype in Dtype:
        await run_on_unit(bench, gather_b_program(dtype, destination, source, indices, 64, repeats))
        if dtype is not Dtype.B64:
            await run_on_unit(bench, load_align_program(dtype, destination, source, repeats))


async def run_on_unit(bench: LoadUnitBench, program: Program) -> None:
    """Run a program on the unit, and compare the whole UB with what its steps do on the model."""
    board = bench.scoreboard
    board.settle()
    before = bytes(board.buffer.contents)
    steps = []
    reply = None
    while True:
        try:
            step = program.send(reply)
        except StopIteration:
            break
        steps.append(step)
        if isinstance(step, Command):
            bench.send(step)
            await bench.drain()
            reply = board.last_response()
        else:
            bench.send_fill(step.address, step.data)
            reply = None
    await bench.drain()
    board.settle()
    model = UnifiedBuffer(bench.ub_bytes)
    model.load(before)
    run(model, (step for step in steps))
    same = model.contents == board.buffer.contents
    assert same, "the program left other contents in the unit than in the golden model"
    for address in range(0, bench.ub_bytes, REGISTER_BYTES):
        bench.send(Command(Op.LOADALIGN, Dtype.B8, base=address, mask=FULL_MASK, block_stride=1))
    await bench.drain()


@load_unit_test
async def workloads(bench: LoadUnitBench) -> None:
    """Every access pattern of real kernels, with its rate."""
    await bench.fill_everything()
    bench.accept_responses(0)
    rng = bench.config.rng("workloads")
    for workload in WORKLOADS.values():
        if workload.span_bytes > bench.ub_bytes:
            continue
        batch = CommandBatch.from_commands(workload.commands(0, bench.ub_bytes, rng))
        if max(batch.block_stride.max(), batch.repeat_stride.max()) >= bench.stride_limit:
            continue
        timing = await time_commands(bench, batch)
        if len(batch) > 1:
            bench.record.rates[workload.name] = timing.rate
    bench.record.lines += [f"{name}: {rate:.3f}" for name, rate in bench.record.rates.items()]
