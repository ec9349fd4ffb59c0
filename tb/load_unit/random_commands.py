"""Random commands and fills against the golden model: the test that `make sim` runs."""

from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.random_play import random_play


@load_unit_test
async def random_commands(bench: LoadUnitBench) -> None:
    """OPS random commands with fills in between, idle and backpressure as asked."""
    bench.start(random_play(bench.config, bench.config.ops))
    await bench.drain()
    answered = bench.scoreboard.answered_cycles
    rate = len(answered) / (answered[-1] - answered[0] + 1)
    bench.record.lines.append(f"{rate:.3f} commands per cycle, {256 * rate:.0f} bytes per cycle")
