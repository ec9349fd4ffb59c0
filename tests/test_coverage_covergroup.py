"""A covergroup: crosses and ranges, and a hit of a bin that is out of reach."""

import numpy as np
import pytest
from coverage_examples import DESIGN, observe

from tb.coverage import Covergroup
from tb.coverage.covergroup import cross_hits, on_every_design, ranges


def test_a_cross_counts_each_combination_and_leaves_out_what_has_no_class() -> None:
    first, second = np.array([0, 1, 1, -1, 1]), np.array([2, 0, 0, 1, -1])
    assert cross_hits([first, second], [2, 3]).tolist() == [0, 0, 1, 2, 0, 0]
    assert cross_hits([first[:, np.newaxis], np.arange(2)], [2, 2]).tolist() == [1, 1, 3, 3]


def test_a_class_that_an_axis_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError):
        cross_hits([np.array([2])], [2])


def test_ranges_begin_at_their_starts() -> None:
    assert ranges(np.array([0, 1, 2, 7, 8, 99]), 1, 2, 8).tolist() == [-1, 0, 1, 1, 2, 2]


def test_a_hit_out_of_reach_is_no_silent_loss() -> None:
    group = Covergroup(
        "group",
        "about",
        ("ST-1",),
        on_every_design(("a", "b")),
        lambda observed: (np.ones(1, int),),
        lambda design, letter: "no b" if letter else "",
    )
    assert group.bins(DESIGN) == ("a",)
    with pytest.raises(ValueError, match="group: b was hit, .*: no b"):
        group.sample(observe([]))
