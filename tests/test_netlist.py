"""The synthesized netlist does what the Verilog it comes from does, in the same cycles."""

from collections.abc import Callable

import pytest
from conftest import on_icarus, traces

from flow.run import Run

Simulate = Callable[..., Run]

# A synthesis takes long: one design, a regression has lock step too.
PARAMETERS = {"UB_BYTES": 2048, "BANKS": 4, "WINDOW": 2, "STRIDE_W": 8}
TESTS = [
    "random_commands",
    "reset_at_every_distance_from_a_command",
    "unwritten_blocks_stay_in_their_own_lane",
]


@pytest.mark.proves("RN-19")
@on_icarus
def test_the_netlist_is_the_design(simulate: Simulate, simulator: str) -> None:
    """The benches pass on the netlist; a trace holds the cycle of every transfer."""
    arguments = {"tests": TESTS, "ops": 60, "idle": 20, "backpressure": 20}
    verilog, netlist = (
        traces(simulate("ub_load_unit", simulator, PARAMETERS, netlist=netlist, **arguments))
        for netlist in (False, True)
    )
    assert verilog == netlist
    assert sorted(verilog) == sorted(TESTS)
