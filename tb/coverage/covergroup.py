"""A covergroup: a cross of classes, its bins and how often each was hit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from tb.coverage.design import Design
from tb.coverage.observed import Observed

Labels = tuple[str, ...]
"""What the classes along one axis of a cross are called, class 0 first."""


def always(design: Design, *classes: int) -> str:
    """Every design reaches every bin."""
    return ""


def on_every_design(*axes: Labels) -> Callable[[Design], tuple[Labels, ...]]:
    """Axes that are the same whatever the design."""
    return lambda design: axes


def ranges(values: NDArray[np.integer], *starts: int) -> NDArray[np.int8]:
    """The class of each value: 0 from starts[0] up to starts[1], and so on; -1 below starts[0]."""
    classes = np.full(np.shape(values), -1, np.int8)
    for start in starts:
        classes += values >= start
    return classes


def cross_hits(classes: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> NDArray[np.int64]:
    """How often each bin of a cross was hit: int64 (product of `sizes`,), last axis fastest.

    `classes` has an array for each axis, all of one shape or broadcast to it; where one of them is
    -1, nothing is counted. Raises ValueError for a class that its axis does not have.
    """
    total = prod(sizes)
    # Small numbers are fast; one more bin is for what is not counted.
    kind = np.min_scalar_type(-total - 1)
    bins, left_out = np.zeros(1, kind), np.zeros(1, np.bool_)
    for axis, size in zip(classes, sizes, strict=True):
        if axis.size and axis.max() >= size:
            raise ValueError(f"a class {axis.max()} along an axis of {size}")
        if axis.size and axis.min() < 0:
            left_out = left_out | (axis < 0)
        bins = bins * kind.type(size) + axis.astype(kind)
    bins = np.where(left_out, kind.type(total), bins)
    return np.bincount(bins.ravel(), minlength=total)[:total].astype(np.int64)


@dataclass(frozen=True)
class Covergroup:
    """One cross that a test may hit.

    `about` is one line for a report, `rules` are IDs of docs/testplan.md for which its hits are
    evidence. `axes` gives the labels along each axis, `classify` an array of classes for each axis
    as `cross_hits` wants them. `out_of_reach` tells, by class numbers, in words why a design cannot
    reach a bin at all, "" where it can: the others are no bins of it.
    """

    name: str
    about: str
    rules: tuple[str, ...]
    axes: Callable[[Design], tuple[Labels, ...]]
    classify: Callable[[Observed], tuple[NDArray[np.integer], ...]]
    out_of_reach: Callable[..., str] = always

    def bins(self, design: Design) -> tuple[str, ...]:
        """All bins that this design can reach, in order."""
        return tuple(name for name, reason in self.reasons(design).items() if not reason)

    def reasons(self, design: Design) -> dict[str, str]:
        """For every combination of classes why this design cannot reach it; "" for a bin."""
        return dict(_reasons(self, design))

    def sample(self, observed: Observed) -> NDArray[np.int64]:
        """Hits per bin, in the order of `bins`: int64 (number of bins,).

        Raises ValueError where a bin was hit that is said to be out of reach.
        """
        design = observed.design
        hits = cross_hits(self.classify(observed), [len(labels) for labels in self.axes(design)])
        reasons = _reasons(self, design)
        kept = np.array([not reason for _, reason in reasons])
        wrong = np.flatnonzero(~kept & (hits > 0))
        if len(wrong):
            name, reason = reasons[wrong[0]]
            raise ValueError(
                f"{self.name}: {name} was hit, but is out of reach of {design}: {reason}"
            )
        return hits[kept]


@cache
def _reasons(group: Covergroup, design: Design) -> tuple[tuple[str, str], ...]:
    """Each combination of classes by name, in order, and why it is out of reach."""
    axes = group.axes(design)
    numbers = product(*(range(len(labels)) for labels in axes))
    return tuple(
        (" x ".join(labels), group.out_of_reach(design, *classes))
        for labels, classes in zip(product(*axes), numbers, strict=True)
    )
