"""Random commands and fills against the golden model: the test that `make sim` runs."""

from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.stimulus import random_commands as draw_commands
from tb.stimulus import random_fills


@load_unit_test
async def random_commands(bench: LoadUnitBench) -> None:
    """OPS random commands with fills in between, idle and backpressure as asked."""
    config = bench.config
    await bench.fill_everything()
    bench.accept_responses()
    batch = draw_commands(config.ops, config.rng("commands"), bench.ub_bytes, bench.stride_limit)
    bench.send_batch(batch)
    for address, data in random_fills(config.ops // 2, batch, config.rng("fills"), bench.ub_bytes):
        bench.send_fill(address, data)
    first = len(bench.scoreboard.answered_cycles)
    await bench.drain()
    answered = bench.scoreboard.answered_cycles[first:]
    rate = len(answered) / (answered[-1] - answered[0] + 1)
    bench.record.lines.append(f"{rate:.3f} commands per cycle, {256 * rate:.0f} bytes per cycle")
