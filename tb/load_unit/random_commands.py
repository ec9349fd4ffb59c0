"""Random commands and fills against the golden model: the test that `make sim` runs."""

import time

from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.ports import cycle_now
from tb.proves import proves
from tb.random_play import random_play
from tb.record import digest_of_cycles


@load_unit_test
@proves(
    "ST-1",
    "ST-2",
    "ST-7",
    "GB-7",
    "GB-9",
    "GB-10",
    "LA-5",
    "LA-6",
    "LA-9",
    "LA-10",
    "LA-13",
    "FA-10",
    "FA-13",
    "FA-14",
    "FA-16",
    "PA-2",
    "PT-2",
    "PT-4",
    "PT-6",
    "PT-8",
    "PT-9",
    "PT-10",
    "PT-11",
    "PT-12",
    "PT-14",
    "MK-9",
)
async def random_commands(bench: LoadUnitBench) -> None:
    """OPS random commands with fills in between, idle and backpressure as asked."""
    first = cycle_now() + 1
    play = random_play(bench.config, bench.config.ops)
    start = time.monotonic()
    bench.start(play)
    await bench.drain()
    bench.record.seconds["simulation"] = time.monotonic() - start
    board = bench.scoreboard
    answered = board.answered_cycles
    transfers = (board.fill_cycles, board.accepted_cycles, answered)
    bench.record.cycles_digest = digest_of_cycles(
        *([cycle - first for cycle in cycles] for cycles in transfers)
    )
    rate = len(answered) / (answered[-1] - answered[0] + 1)
    bench.record.lines.append(f"{rate:.3f} commands per cycle, {256 * rate:.0f} bytes per cycle")
