"""Mutants of the design: the sorter kills, proves, and leaves alive what a weak bench does not see."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from changed_bench import changed

from flow.benches import BENCHES, DEFAULT_BENCH
from flow.errors import UserError
from flow.mutate import holes, search
from flow.mutate.contract import CONTRACTS
from flow.mutate.kill import Stimulus, kill
from flow.mutate.mutants import all_mutants, prepare, source_files
from flow.mutate.plan import SMALL, TARGETS, Scope
from flow.mutate.proofs import prove
from flow.mutate.request import MutationRequest
from flow.mutate.sort import EQUIVALENT, KILLED, UNRESOLVED, Sorted, sort_with
from flow.mutate.stimulus import Driven, random_plays, stored_cases
from model import BLOCK_BYTES, Fill, read_case

MODULES = ("fill_port", "lane_compare", "lane_arbiter")
SAMPLED = tuple(target for target in TARGETS if target.module in MODULES)


def _quick_bench(parameters: Mapping[str, int]) -> list[Driven]:
    """Without the directed tests, which take long to record; with what they do to the fill port."""
    driven = random_plays(parameters)
    fills = tuple(Fill(1 << bit, bytes(BLOCK_BYTES), 0) for bit in range(32))
    case = replace(driven[0].case, fills=fills)
    driven.append(Driven("fills out of range by each bit", case))
    return driven + stored_cases(parameters)


def _weaker_bench(parameters: Mapping[str, int]) -> list[Driven]:
    return stored_cases(parameters)[:1]


@pytest.mark.proves("RN-41", "RN-42")
def test_a_sample_of_mutants_is_killed_or_proven_and_a_weaker_bench_leaves_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request = MutationRequest(sample=100, seed=1)
    results = sort_with(request, _quick_bench, print, SAMPLED)
    left = [each.mutant.describe() for each in results if each.status == UNRESOLVED or each.hole]
    assert len(results) == 100 and not left, left
    assert sum(each.status == KILLED for each in results) > 75
    assert any(each.status == EQUIVALENT for each in results)
    monkeypatch.setattr(search, "SEEDS", search.SEEDS[:1])
    weaker = sort_with(replace(request, sample=12), _weaker_bench, print, SAMPLED)
    assert any(each.status == UNRESOLVED or each.hole for each in weaker)


@pytest.mark.proves("RN-43")
def test_a_design_that_is_not_as_the_models_say_is_refused(tmp_path: Path) -> None:
    bench = changed(
        BENCHES[DEFAULT_BENCH], tmp_path, "gatherb_agu.v", "base_q}", "base_q ^ 32'd32}"
    )
    prepared = prepare(bench.rtl, SMALL)
    stimulus = Stimulus(random_plays(SMALL)[:1], SMALL)
    mutants = all_mutants(prepared, "gatherb_agu")[:3]
    with pytest.raises(UserError, match="not as the models say"):
        kill(prepared, mutants, stimulus, stimulus.write())


@pytest.mark.proves("RN-41")
def test_a_mutant_that_only_the_contract_excludes_is_proven_in_use_alone() -> None:
    prepared = prepare(source_files(), SMALL)
    mutants = all_mutants(prepared, "lane_queue")
    # The highest bit of a distance: no turn is ever that far behind.
    [far] = [
        each
        for each in mutants
        if "$sub" in each.cell and (each.port, each.bit, each.mode) == ("Y", 2, "const0")
    ]
    other = next(each for each in mutants if "$sub" in each.cell and each.mode == "inv")
    assert prove(prepared, [far, other], Scope("lane_queue")) == [False, False]
    assert prove(prepared, [far, other], Scope("lane_queue", in_use=True)) == [True, False]


@pytest.mark.proves("RN-41")
def test_a_contract_that_leaves_out_what_the_unit_reads_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contract = CONTRACTS["lane_queue"]
    unread = tuple(replace(each, unread=each.unread + 1) for each in contract.readings)
    monkeypatch.setitem(CONTRACTS, "lane_queue", replace(contract, readings=unread))
    prepared = prepare(source_files(), SMALL)
    with pytest.raises(UserError, match="reads outputs of it while they do not count"):
        prove(prepared, all_mutants(prepared, "lane_queue")[:1], Scope("lane_queue", in_use=True))


@pytest.mark.proves("RN-42")
def test_a_mutant_that_the_search_kills_becomes_a_small_stored_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holes, "CORPUS", tmp_path)
    target = next(each for each in TARGETS if each.module == "lane_arbiter")
    mutant = all_mutants(prepare(source_files(), target.parameters), target.module)[0]
    found = [Sorted(target, mutant, KILLED, hole=True)] * 2
    [stored] = holes.store_cases(found, print)
    case = read_case(stored)
    assert stored.name == "mutant_of_lane_arbiter_1" and len(case.commands) <= 4
    assert len(case.expected) == 256 * len(case.commands)


@pytest.mark.proves("RN-41")
def test_no_mutant_is_listed_twice_and_none_changes_nothing() -> None:
    mutants = all_mutants(prepare(source_files(), SMALL), "age_order")
    # A constant bit has no mutant that puts the same constant there: fewer than five a bit.
    assert len({replace(each, source="") for each in mutants}) == len(mutants) > 300
    assert {each.mode for each in mutants} == {"inv", "const0", "const1"}
