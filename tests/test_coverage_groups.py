"""All covergroups together: their bins, their samples, and samples that are merged."""

import json
from pathlib import Path

import numpy as np
import pytest
from coverage_examples import (
    DEFAULTS,
    DESIGN,
    DESIGNS,
    FAULTY,
    GOOD,
    GROUPS,
    SMALLEST,
    load,
    observe,
    random_observed,
)

from flow.testplan import read_plan
from model import BLOCK_BYTES, LANES, CommandBatch
from tb.coverage import COVERGROUPS, Design, Observed, merge, sample_all


def test_every_rule_that_a_group_names_is_in_the_plan() -> None:
    plan = read_plan(Path(__file__).parents[1] / "docs" / "testplan.md")
    for group in COVERGROUPS:
        assert group.rules and set(group.rules) <= set(plan), group.name
        assert "\n" not in group.about


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_bins_have_names_of_their_own(design: Design) -> None:
    assert len(GROUPS) == len(COVERGROUPS)
    for group in COVERGROUPS:
        bins = group.bins(design)
        assert len(set(bins)) == len(bins) > 1, group.name


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_no_random_test_hits_a_bin_that_is_out_of_reach(design: Design) -> None:
    # sample raises where one does.
    sample = sample_all(random_observed(design, seed=3, count=20000))
    assert sum(sample["faults"]["bins"].values()) == 20000


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_a_test_without_commands_and_fills_hits_nothing(design: Design) -> None:
    for group in sample_all(observe([], design=design)).values():
        assert not any(group["bins"].values())


def test_samples_are_ready_for_json_and_say_what_they_are() -> None:
    sample = sample_all(observe([GOOD, FAULTY]))
    assert json.loads(json.dumps(sample)) == sample
    assert sample["faults"]["about"] == "op and fault"
    assert "FA-1" in sample["faults"]["rules"]
    assert sample["faults"]["bins"]["LOADALIGN x NONE"] == 1


def test_samples_are_merged_bin_by_bin_over_all_bins() -> None:
    small = sample_all(observe([GOOD], design=SMALLEST))
    large = sample_all(observe([GOOD, GOOD, load(0, 0, 1, 2, stride=4)]))
    merged = merge([small, large])
    assert merged["conflicts"]["bins"]["LoadAlign x D = 1"] == 3
    assert merged["conflicts"]["bins"]["LoadAlign x D = 3"] == 1
    assert merged["conflicts"]["bins"]["GatherB x D = 8"] == 0
    assert set(merged["conflicts"]["bins"]) == set(large["conflicts"]["bins"])
    assert merged["banks"]["bins"]["lane 0 x bank 0"] == 4
    assert merged["banks"]["rules"] == small["banks"]["rules"]
    assert small["conflicts"]["bins"]["LoadAlign x D = 1"] == 1
    assert merge([]) == {}


def test_two_tests_together_hit_what_each_of_them_hits() -> None:
    first, second = (random_observed(DESIGN, seed, 3000) for seed in (5, 6))
    # The second one begins behind a reset, far enough from the first that they are no neighbours.
    between = np.zeros(64, bool)
    after = len(first.ready) + len(between)
    both = Observed(
        DESIGN,
        CommandBatch.concatenate([first.commands, second.commands]),
        np.append(first.accepted, second.accepted + after),
        np.append(first.answered, np.where(second.answered < 0, -1, second.answered + after)),
        np.append(first.fill_address, second.fill_address),
        np.append(first.filled, second.filled + after),
        np.concatenate([first.ready, ~between, second.ready]),
        np.concatenate([first.resets, between, second.resets]),
    )
    expected, got = merge([sample_all(first), sample_all(second)]), sample_all(both)
    # What lies between the tests is seen only by those that look from one command to another.
    between_commands = {"fault neighbours", "post-update chains"}
    between_fills = {"fills around reads", "fills beside commands"}
    for name in GROUPS.keys() - between_commands - between_fills:
        assert got[name] == expected[name], name


def test_a_million_commands_are_sampled() -> None:
    count = 1_000_000
    rng = np.random.default_rng(1)
    blocks = DEFAULTS.blocks
    commands = CommandBatch(
        op=rng.integers(4, size=count, dtype=np.uint8),
        dtype=rng.integers(4, size=count, dtype=np.uint8),
        base=BLOCK_BYTES * rng.integers(blocks // 2, size=count, dtype=np.uint32),
        block_stride=rng.integers(600, size=count, dtype=np.uint32),
        repeat_stride=rng.integers(8, size=count, dtype=np.uint32),
        index=BLOCK_BYTES * rng.integers(blocks // 2, size=(count, LANES), dtype=np.uint32),
        mask=rng.integers(256, size=(count, 32), dtype=np.uint8),
    )
    accepted = np.arange(count)
    observed = Observed(
        DEFAULTS,
        commands,
        accepted,
        accepted + 5,
        np.zeros(0, np.uint32),
        np.zeros(0, np.int64),
        np.ones(count + 6, bool),
        np.zeros(count + 6, bool),
    )
    sample = sample_all(observed)
    assert sum(sample["faults"]["bins"].values()) == count
    # From the fifth command on, five are in flight.
    assert sample["occupancy"]["bins"]["more than the window x rsp_ready high"] == count - 5
