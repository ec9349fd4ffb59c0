"""The top module: every theme of its bench over simulators and parameters."""

from collections.abc import Callable

import pytest
from conftest import left_out_if_missing, traces

from flow.places import ROOT
from flow.run import Run
from tb.load_unit.cycles import LATENCY

Simulate = Callable[..., Run]

DEFAULTS = {"UB_BYTES": 262144, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32}
LOCK_STEP = {"UB_BYTES": 16384, "BANKS": 8, "WINDOW": 1, "STRIDE_W": 32}
SMALL = {"UB_BYTES": 16384, "BANKS": 16, "WINDOW": 4, "STRIDE_W": 32}
MANY_BANKS = {"UB_BYTES": 4096, "BANKS": 64, "WINDOW": 3, "STRIDE_W": 16}
SMALLEST = {"UB_BYTES": 64, "BANKS": 1, "WINDOW": 1, "STRIDE_W": 1}
WIDE_WINDOW = {"UB_BYTES": 1024, "BANKS": 2, "WINDOW": 64, "STRIDE_W": 5}

# Builds of Verilator are slow for many banks.
EVERY_SIMULATOR = [LOCK_STEP, SMALL, SMALLEST]
ICARUS_ONLY = [
    MANY_BANKS,
    WIDE_WINDOW,
    {"UB_BYTES": 65536, "BANKS": 32, "WINDOW": 2, "STRIDE_W": 32},
]


def name(parameters: dict[str, int]) -> str:
    """A short name for a set of parameters."""
    return "-".join(f"{key.split('_')[0].lower()}{value}" for key, value in parameters.items())


CASES = [("icarus", parameters) for parameters in EVERY_SIMULATOR + ICARUS_ONLY]
CASES += [("verilator", parameters) for parameters in EVERY_SIMULATOR]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{name(case[1])}")
def case(request: pytest.FixtureRequest) -> tuple[str, dict[str, int]]:
    """A simulator and a set of parameters; a missing simulator is left out, but not in CI."""
    simulator, parameters = request.param
    return left_out_if_missing(simulator), parameters


@pytest.mark.proves("ST-1", "ST-2", "ST-7", "GB-5", "GB-7", "GB-9", "GB-10", "LA-5", "LA-6")
@pytest.mark.proves("LA-8", "LA-9", "LA-10", "LA-13", "LA-15", "MK-9", "FA-10", "FA-12", "FA-13")
@pytest.mark.proves("FA-14", "FA-15", "FA-16", "PT-2", "PT-4", "PT-6", "PT-8", "PT-9", "PT-10")
@pytest.mark.proves("PA-2", "PT-11", "PT-12", "PT-14", "OR-1")
@pytest.mark.parametrize("idle, backpressure", [(0, 0), (40, 0), (0, 60), (30, 30)])
def test_random_commands_agree_with_the_golden_model(
    simulate: Simulate, case: tuple, idle: int, backpressure: int
) -> None:
    run = simulate(
        "ub_load_unit",
        *case,
        tests=["random_commands"],
        ops=400,
        idle=idle,
        backpressure=backpressure,
    )
    assert run.record["tests"]["random_commands"]["commands_checked"] == 400


@pytest.mark.proves("ST-5", "LA-11", "FA-11", "CY-1", "CY-2", "CY-3", "CY-4", "CY-5", "CY-7")
@pytest.mark.proves("CY-8")
def test_cycles_are_those_of_the_specification(simulate: Simulate, case: tuple) -> None:
    tests = [
        "fills_cost_their_own_bank_cycles_alone",
        "latency_in_an_idle_unit",
        "one_command_per_cycle_without_conflicts",
        "lock_step_is_the_upper_bound",
        "rates",
    ]
    simulate("ub_load_unit", *case, tests=tests, ops=300)


@pytest.mark.proves("CY-10")
def test_the_header_of_the_top_states_the_latency_that_is_measured() -> None:
    header = (ROOT / "rtl" / "ub_load_unit.v").read_text(encoding="utf-8")
    assert f"L = {LATENCY} cycles from acceptance to rsp_valid" in header


@pytest.mark.proves("OR-1", "OR-2", "OR-3", "OR-4", "OR-5", "OR-6", "PT-7", "PT-8")
def test_fills_and_commands_take_effect_in_order_and_none_starves(
    simulate: Simulate, case: tuple
) -> None:
    tests = [
        "fills_and_reads_of_the_same_few_blocks",
        "a_fill_at_every_distance_from_a_read",
        "fills_one_per_cycle_while_no_command_is_in_flight",
        "neither_side_starves",
    ]
    simulate("ub_load_unit", *case, tests=tests, ops=400)


@pytest.mark.proves("RS-1", "RS-2", "RS-3", "RS-4", "RS-5", "PT-10")
def test_reset_drops_what_is_in_flight_and_keeps_the_contents(
    simulate: Simulate, case: tuple
) -> None:
    tests = ["reset_in_flight", "reset_at_every_distance_from_a_command"]
    simulate("ub_load_unit", *case, tests=tests)


@pytest.mark.proves("PT-1", "PT-3", "PT-4", "PT-5", "PT-10", "PT-11", "CY-9")
def test_handshakes_keep_their_rules(simulate: Simulate, case: tuple) -> None:
    tests = [
        "ports_have_the_widths_of_the_specification",
        "no_output_follows_an_input_within_a_cycle",
        "stalled_responses_wait_unchanged",
        "a_lone_command_behind_each_pause",
    ]
    simulate("ub_load_unit", *case, tests=tests)


@pytest.mark.proves("FA-1", "FA-2", "FA-3", "FA-4", "FA-5", "FA-6", "FA-7", "FA-8", "FA-9")
@pytest.mark.proves("FA-10", "FA-12", "FA-13", "FA-15", "LA-12", "LA-14")
def test_every_fault_is_reported_in_every_lane(simulate: Simulate, case: tuple) -> None:
    simulate("ub_load_unit", *case, tests=["every_fault_in_every_lane"])


@pytest.mark.proves("PT-12", "PT-13")
def test_unwritten_blocks_are_unknown_in_their_own_lane_only(
    simulate: Simulate, case: tuple
) -> None:
    simulate("ub_load_unit", *case, tests=["unwritten_blocks_stay_in_their_own_lane"], ops=300)


@pytest.mark.proves("GB-3", "GB-8", "GB-11", "LA-16", "RN-17")
def test_what_others_wrote_runs_end_to_end(simulate: Simulate, simulator: str) -> None:
    tests = ["vectors", "reference_programs", "workloads"]
    simulate("ub_load_unit", simulator, SMALL, tests=tests)


@pytest.mark.proves("ST-4", "CY-6")
def test_defaults_sustain_their_rate_of_random_gathers(simulate: Simulate, simulator: str) -> None:
    run = simulate("ub_load_unit", simulator, tests=["rates", "workloads"], ops=1500)
    assert run.record["tests"]["rates"]["rates"]["random gather"] >= 0.78


@pytest.mark.proves("RN-7")
@pytest.mark.parametrize("seed", [1, 2])
def test_one_seed_gives_one_trace_on_both_simulators(
    simulate: Simulate, both_simulators: tuple[str, ...], seed: int
) -> None:
    tests = ["random_commands", "reset_in_flight", "fills_and_reads_of_the_same_few_blocks"]
    arguments = {"tests": tests, "ops": 400, "seed": seed, "idle": 30, "backpressure": 30}
    first, second = (
        traces(simulate("ub_load_unit", simulator, SMALL, **arguments))
        for simulator in both_simulators
    )
    assert first == second
    assert len(set(first.values())) == len(tests)
