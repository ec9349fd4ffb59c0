"""A unit whose data are right and whose cycles are not: the benches must find it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from changed_bench import changed
from conftest import on_icarus

from flow.benches import BENCHES
from flow.run import Run

Simulate = Callable[..., Run]

LANE_7_FIRST = (
    "behind[BEHIND_W*j +: WINDOW-1]);",
    (
        "behind[BEHIND_W*j +: WINDOW-1]) &\n"
        "    behind[BEHIND_W*i +: BEHIND_W] != behind[BEHIND_W*j +: BEHIND_W];"
    ),
)
"""In age_order.v, of two lanes of one command: the higher one goes first."""


@pytest.mark.proves("RN-20")
@on_icarus
@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        pytest.param(
            "block_xbar.v",
            "assign done = reads_complete_qq;",
            "reg late; always @(posedge clk) late <= ~rst & reads_complete_qq; assign done = late;",
            "rsp_valid: got 0, expected 1",
            id="a response one cycle late",
        ),
        pytest.param(
            "ub_load_unit.v",
            "READS_MAX = WINDOW + 2",
            "READS_MAX = WINDOW + 1",
            "cmd_ready: got 0, expected 1",
            id="a command fewer in flight",
        ),
        pytest.param("age_order.v", *LANE_7_FIRST, "read, expected", id="lane 7 first"),
    ],
)
def test_right_data_in_a_wrong_cycle_fail_the_run(
    simulate: Simulate, simulator: str, tmp_path: Path, file: str, old: str, new: str, says: str
) -> None:
    bench = changed(BENCHES["ub_load_unit"], tmp_path, file, old, new)
    parameters = {"UB_BYTES": 1024, "BANKS": 4}
    with pytest.raises(
        AssertionError, match=r"MISMATCH with the cycle model in cycle \d+"
    ) as failed:
        simulate(bench, simulator, parameters, tests=["random_commands"])
    assert says in str(failed.value)
    assert "the model behind this cycle" in str(failed.value)


@pytest.mark.proves("RN-20")
@on_icarus
def test_a_wrong_bank_fails_the_bench_of_the_crossbar(
    simulate: Simulate, simulator: str, tmp_path: Path
) -> None:
    bench = changed(BENCHES["block_xbar"], tmp_path, "age_order.v", *LANE_7_FIRST)
    tests = ["blocks_reach_their_lanes_at_full_pace"]
    with pytest.raises(AssertionError, match=r"MISMATCH with the cycle model in cycle \d+"):
        simulate(bench, simulator, {"UB_BYTES": 1024, "BANKS": 4}, tests=tests)
