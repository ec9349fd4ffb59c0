"""Blocks that nothing has written: X in their own lane only, and nowhere else."""

from model import BLOCK_BYTES
from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.proves import proves
from tb.stimulus import biased_commands


@load_unit_test
@proves("PT-12", "PT-13")
async def unwritten_blocks_stay_in_their_own_lane(bench: LoadUnitBench) -> None:
    """Half of the blocks are written; every lane that reads those is right and known."""
    bench.accept_responses()
    rng = bench.config.rng("unknown")
    written = rng.permutation(bench.blocks)[: max(1, bench.blocks // 2)]
    for block in written.tolist():
        bench.send_fill(BLOCK_BYTES * block, rng.bytes(BLOCK_BYTES))
    await bench.drain()
    bench.send_batch(biased_commands(bench.config.ops, rng, bench.ub_bytes, bench.stride_limit))
    await bench.drain()
    unknown = bench.scoreboard.unknown_blocks
    if bench.config.four_state and bench.blocks > 2:
        assert unknown, "no unwritten block was read"
    bench.record.lines.append(f"{unknown} blocks were X")
