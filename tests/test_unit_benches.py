"""The address generators, the address check and the crossbar, each alone on its own bench."""

from collections.abc import Callable

import pytest
from conftest import traces

from flow.run import Run

Simulate = Callable[..., Run]

# A build of Verilator takes many times as long as the run: few sets, Icarus has the others.
STRIDE_WIDTHS = [("icarus", 1), ("icarus", 16), ("icarus", 32), ("verilator", 1), ("verilator", 32)]
SIZES = [("icarus", 64), ("icarus", 262144), ("icarus", 1 << 30), ("verilator", 262144)]
CROSSBARS = [
    ("icarus", {"UB_BYTES": 64, "BANKS": 1, "WINDOW": 1}),
    ("icarus", {"UB_BYTES": 1024, "BANKS": 1, "WINDOW": 4}),
    ("icarus", {"UB_BYTES": 4096, "BANKS": 2, "WINDOW": 3}),
    ("icarus", {"UB_BYTES": 16384, "BANKS": 8, "WINDOW": 1}),
    ("icarus", {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 4}),
    ("icarus", {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 10}),
    ("icarus", {"UB_BYTES": 4096, "BANKS": 64, "WINDOW": 3}),
    ("verilator", {"UB_BYTES": 16384, "BANKS": 8, "WINDOW": 1}),
    ("verilator", {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 4}),
]


def name(value: object) -> str | None:
    """A short name for a set of parameters; pytest names the rest."""
    if isinstance(value, dict):
        return "-".join(f"{key.split('_')[0].lower()}{number}" for key, number in value.items())
    return None


@pytest.mark.proves("GB-1", "GB-2", "GB-5", "GB-6", "MK-9", "FA-9", "PT-14")
def test_gatherb_agu_adds_each_index_to_the_base_and_heeds_eight_mask_bits(
    simulate: Simulate, simulator: str
) -> None:
    simulate("gatherb_agu", simulator, ops=2000)


@pytest.mark.proves("LA-1", "LA-2", "LA-3", "LA-4", "LA-5", "LA-7", "LA-8", "LA-15", "FA-9")
@pytest.mark.proves("ST-3", "MK-9")
@pytest.mark.parametrize("simulator, width", STRIDE_WIDTHS, indirect=["simulator"])
def test_loadalign_agu_strides_gates_and_moves_the_base_at_full_width(
    simulate: Simulate, simulator: str, width: int
) -> None:
    simulate("loadalign_agu", simulator, {"STRIDE_W": width}, ops=2000)


@pytest.mark.proves("FA-1", "FA-2", "FA-3", "FA-4", "FA-5", "FA-6", "FA-7", "FA-8", "FA-9")
@pytest.mark.proves("FA-10", "FA-15", "FA-16", "FA-17", "LA-12")
@pytest.mark.parametrize("simulator, ub_bytes", SIZES, indirect=["simulator"])
def test_address_check_reports_the_first_fault_in_the_lowest_lane(
    simulate: Simulate, simulator: str, ub_bytes: int
) -> None:
    run = simulate("address_check", simulator, {"UB_BYTES": ub_bytes}, ops=2000)
    faults = run.record["tests"]["random_commands_match_the_model"]["faults"]
    assert len(faults) == 5, "random commands left out a kind of fault"


@pytest.mark.proves("ST-5", "ST-6", "GB-4", "GB-10", "LA-2", "LA-10", "LA-11")
@pytest.mark.proves("OR-2", "RS-3", "CY-1", "CY-4", "CY-9")
@pytest.mark.parametrize("simulator, parameters", CROSSBARS, indirect=["simulator"], ids=name)
def test_block_xbar_brings_each_block_to_its_lane_in_as_few_cycles_as_the_banks_allow(
    simulate: Simulate, simulator: str, parameters: dict[str, int]
) -> None:
    simulate("block_xbar", simulator, parameters, ops=400)


@pytest.mark.proves("RN-7")
@pytest.mark.parametrize(
    "bench, parameters",
    [
        ("gatherb_agu", {}),
        ("loadalign_agu", {"STRIDE_W": 32}),
        ("address_check", {"UB_BYTES": 262144}),
        ("block_xbar", {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 4}),
    ],
    ids=name,
)
def test_both_simulators_give_the_same_outputs_in_every_cycle(
    simulate: Simulate, both_simulators: tuple[str, ...], bench: str, parameters: dict[str, int]
) -> None:
    first, second = (
        traces(simulate(bench, simulator, parameters, seed=2)) for simulator in both_simulators
    )
    assert first == second
    assert len(set(first.values())) == len(first)
