"""One command of every kind, so that no combination is left to luck."""

from tb.coverage import Design
from tb.directed import every_kind
from tb.load_unit_bench import LoadUnitBench, load_unit_test
from tb.proves import proves


@load_unit_test
@proves("GB-4", "GB-5", "GB-6", "GB-7", "LA-2", "LA-5", "LA-8", "LA-15", "CY-1", "CY-2", "MK-9")
async def every_kind_of_command(bench: LoadUnitBench) -> None:
    """Op, data type, mask, D and duplicates in every combination that the design can reach."""
    await bench.fill_everything()
    bench.accept_responses()
    design = Design(bench.ub_bytes, bench.banks, bench.window, bench.config.parameters["STRIDE_W"])
    bench.send_batch(every_kind(design))
    await bench.drain()
