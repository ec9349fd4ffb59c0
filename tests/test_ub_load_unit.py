"""The top module: every theme of its bench over simulators and parameters."""

from collections.abc import Callable

import pytest
from conftest import left_out_if_missing, traces

from flow.regress.matrix import FEW_BANKS, LOCK_STEP, SMALL, SMALLEST, UNIT_SETS
from flow.run import Run

Simulate = Callable[..., Run]


def name(parameters: dict[str, int]) -> str:
    """A short name for a set of parameters."""
    return "-".join(f"{key.split('_')[0].lower()}{value}" for key, value in parameters.items())


# Random commands run with every set; the other themes with few, and in a regression with all. Icarus
# takes small sets: it is the slower one where there are many banks.
EVERY_SET = [(simulator, values) for simulator, sets in UNIT_SETS.items() for values in sets]
FEW_SETS = [
    *(("icarus", values) for values in (LOCK_STEP, FEW_BANKS, SMALLEST)),
    ("verilator", SMALL),
]


def cases(sets: list[tuple[str, dict[str, int]]]) -> pytest.MarkDecorator:
    """Simulators with sets of parameters, as one argument."""
    names = [f"{simulator}-{name(values)}" for simulator, values in sets]
    return pytest.mark.parametrize("case", sets, ids=names, indirect=True)


@pytest.fixture
def case(request: pytest.FixtureRequest) -> tuple[str, dict[str, int]]:
    """A simulator and a set of parameters; a missing simulator is left out, but not in CI."""
    simulator, parameters = request.param
    return left_out_if_missing(simulator), parameters


@cases(EVERY_SET)
@pytest.mark.parametrize("idle, backpressure", [(0, 0), (30, 30)])
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


@cases(FEW_SETS)
def test_cycles_are_those_of_the_specification(simulate: Simulate, case: tuple) -> None:
    tests = [
        "fills_cost_their_own_bank_cycles_alone",
        "latency_in_an_idle_unit",
        "one_command_per_cycle_without_conflicts",
        "lock_step_is_the_upper_bound",
        "rates",
    ]
    simulate("ub_load_unit", *case, tests=tests, ops=300)


@cases(FEW_SETS)
def test_fills_and_commands_take_effect_in_order_and_none_starves(
    simulate: Simulate, case: tuple
) -> None:
    tests = [
        "fills_and_reads_of_the_same_few_blocks",
        "a_fill_at_every_distance_from_a_read",
        "a_fill_holds_turns_in_every_place",
        "fills_one_per_cycle_while_no_command_is_in_flight",
        "neither_side_starves",
    ]
    simulate("ub_load_unit", *case, tests=tests, ops=400)


@cases(FEW_SETS)
def test_reset_drops_what_is_in_flight_and_keeps_the_contents(
    simulate: Simulate, case: tuple
) -> None:
    tests = [
        "reset_in_flight",
        "reset_at_every_distance_from_a_command",
        "reset_in_every_state",
    ]
    simulate("ub_load_unit", *case, tests=tests)


@cases(FEW_SETS)
def test_handshakes_keep_their_rules(simulate: Simulate, case: tuple) -> None:
    tests = [
        "ports_have_the_widths_of_the_specification",
        "no_output_follows_an_input_within_a_cycle",
        "stalled_responses_wait_unchanged",
        "a_lone_command_behind_each_pause",
    ]
    simulate("ub_load_unit", *case, tests=tests)


@cases(FEW_SETS)
def test_every_fault_is_reported_in_every_lane(simulate: Simulate, case: tuple) -> None:
    simulate("ub_load_unit", *case, tests=["every_fault_in_every_lane"])


@cases(FEW_SETS)
def test_every_kind_of_command_agrees_with_the_golden_model(
    simulate: Simulate, case: tuple
) -> None:
    simulate("ub_load_unit", *case, tests=["every_kind_of_command"])


@cases(FEW_SETS)
def test_unwritten_blocks_are_unknown_in_their_own_lane_only(
    simulate: Simulate, case: tuple
) -> None:
    simulate("ub_load_unit", *case, tests=["unwritten_blocks_stay_in_their_own_lane"], ops=300)


def test_what_others_wrote_runs_end_to_end(simulate: Simulate, simulator: str) -> None:
    tests = ["vectors", "reference_programs", "workloads"]
    simulate("ub_load_unit", simulator, SMALL, tests=tests)


# On one simulator: the other gives the same trace.
@pytest.mark.proves("CY-6")
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_defaults_sustain_their_rate_of_random_gathers(simulate: Simulate, simulator: str) -> None:
    run = simulate("ub_load_unit", simulator, tests=["rates", "workloads"], ops=1500)
    assert run.record["tests"]["rates"]["rates"]["random gather"] >= 0.78


@pytest.mark.proves("RN-7")
def test_one_seed_gives_one_trace_on_both_simulators(
    simulate: Simulate, both_simulators: tuple[str, ...]
) -> None:
    tests = ["random_commands", "reset_in_flight", "fills_and_reads_of_the_same_few_blocks"]
    arguments = {"tests": tests, "ops": 400, "seed": 2, "idle": 30, "backpressure": 30}
    first, second = (
        traces(simulate("ub_load_unit", simulator, SMALL, **arguments))
        for simulator in both_simulators
    )
    assert first == second
    assert len(set(first.values())) == len(tests)
