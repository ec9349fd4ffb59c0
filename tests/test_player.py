"""The player in Verilog against the bench on cocotb-bus: one stimulus, the same cycles."""

from collections.abc import Callable
from pathlib import Path

import pytest
from changed_bench import changed
from conftest import left_out_if_missing, on_icarus

from flow.benches import BENCHES
from flow.run import Run
from flow.settings import Settings
from flow.speed import measure_speed, speed_table
from tb.player.soak import PART

Simulate = Callable[..., Run]

# These are built for other tests too.
SMALL = {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32}


@pytest.mark.proves("RN-21")
@pytest.mark.parametrize("seed, idle, backpressure", [(1, 0, 0), (2, 40, 60)])
def test_the_player_does_in_every_cycle_what_the_bench_does(
    simulate: Simulate, simulator: str, seed: int, idle: int, backpressure: int
) -> None:
    arguments = {"ops": 400, "idle": idle, "backpressure": backpressure, "seed": seed}
    bench = simulate("ub_load_unit", simulator, SMALL, tests=["random_commands"], **arguments)
    player = simulate("player", simulator, SMALL, tests=["soak"], **arguments)
    by_bus, played = bench.record["tests"]["random_commands"], player.record["tests"]["soak"]
    assert played["cycles_digest"] == by_bus["cycles_digest"]
    for figure in ("commands_checked", "fills", "ops", "faults"):
        assert played[figure] == by_bus[figure]


@pytest.mark.proves("RN-21")
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_a_soak_goes_on_from_part_to_part(simulate: Simulate, simulator: str) -> None:
    ops = 2 * PART + 100
    record = simulate("player", simulator, SMALL, tests=["soak"], ops=ops).record["tests"]["soak"]
    assert record["commands_checked"] == ops
    # The contents were filled once, and each part checked against what the one before had left.
    assert record["fills"] == SMALL["UB_BYTES"] // 32 + 2 * (PART // 2) + 50


@pytest.mark.proves("RN-21")
@on_icarus
@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        pytest.param(
            "ub_load_unit.v",
            "= rsp_report;",
            "= ~rsp_report;",
            "which is no fault",
            id="a fault that does not exist",
        ),
        pytest.param(
            "bank_group.v",
            "assign finished = ",
            "assign finished = 1'b0 & ",
            "nothing has moved for too long",
            id="a hang",
        ),
        pytest.param(
            "block_xbar.v",
            "assign done = reads_complete_qq;",
            "assign done = reads_complete_qq | fill_pending;",
            "MISMATCH",
            id="a response that no command waits for",
        ),
    ],
)
def test_what_goes_wrong_ends_the_soak(
    simulate: Simulate, simulator: str, tmp_path: Path, file: str, old: str, new: str, says: str
) -> None:
    bench = changed(BENCHES["player"], tmp_path, file, old, new)
    parameters = {"UB_BYTES": 1024, "BANKS": 4}
    with pytest.raises(AssertionError, match="MISMATCH") as failed:
        simulate(bench, simulator, parameters, tests=["soak"])
    assert says in str(failed.value)


@pytest.mark.proves("RN-22")
def test_the_player_alone_plays_as_it_does_under_cocotb() -> None:
    left_out_if_missing("verilator")
    settings = Settings(BENCHES["player"], "verilator", SMALL, ops=300)
    speeds = measure_speed(settings, lambda line: None)
    assert [speed.commands for speed in speeds] == [300, 300, 300]
    table = speed_table(speeds)
    assert "player under cocotb: build " in table and ", golden model " in table
