"""The address generators, the address check and the crossbar, each alone on its own bench."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from conftest import traces

from flow.regress.matrix import CROSSBAR_SETS, SIZE_SETS, STRIDE_SETS
from flow.run import Run

Simulate = Callable[..., Run]


def points(sets: Mapping[str, Sequence[Mapping[str, int]]]) -> list[tuple[str, Mapping[str, int]]]:
    """Every simulator with every set of parameters that it has."""
    return [(simulator, values) for simulator in sets for values in sets[simulator]]


def name(value: object) -> str | None:
    """A short name for a set of parameters; pytest names the rest."""
    if isinstance(value, dict):
        return "-".join(f"{key.split('_')[0].lower()}{number}" for key, number in value.items())
    return None


def test_gatherb_agu_adds_each_index_to_the_base_and_heeds_eight_mask_bits(
    simulate: Simulate, simulator: str
) -> None:
    simulate("gatherb_agu", simulator, ops=2000)


@pytest.mark.parametrize(
    "simulator, parameters", points(STRIDE_SETS), indirect=["simulator"], ids=name
)
def test_loadalign_agu_strides_gates_and_moves_the_base_at_full_width(
    simulate: Simulate, simulator: str, parameters: dict[str, int]
) -> None:
    simulate("loadalign_agu", simulator, parameters, ops=2000)


@pytest.mark.parametrize(
    "simulator, parameters", points(SIZE_SETS), indirect=["simulator"], ids=name
)
def test_address_check_reports_the_first_fault_in_the_lowest_lane(
    simulate: Simulate, simulator: str, parameters: dict[str, int]
) -> None:
    run = simulate("address_check", simulator, parameters, ops=2000)
    faults = run.record["tests"]["random_commands_match_the_model"]["faults"]
    assert len(faults) == 5, "random commands left out a kind of fault"


@pytest.mark.parametrize(
    "simulator, parameters", points(CROSSBAR_SETS), indirect=["simulator"], ids=name
)
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
