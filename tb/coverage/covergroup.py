"""A covergroup: a cross of classes, its bins and how often each was hit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tb.coverage.design import Design
from tb.coverage.observed import Observed

Labels = tuple[str, ...]
"""What the classes along one axis of a cross are called, class 0 first."""


def always(design: Design, *classes: int) -> bool:
    """Every design reaches every bin."""
    return True


def on_every_design(*axes: Labels) -> Callable[[Design], tuple[Labels, ...]]:
    """Axes that are the same whatever the design."""
    return lambda design: axes


def ranges(values: NDArray[np.integer], *starts: int) -> NDArray[np.intp]:
    """The class of each value: 0 from starts[0] up to starts[1], and so on; -1 below starts[0]."""
    return np.searchsorted(starts, values, side="right") - 1


def cross_hits(classes: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> NDArray[np.int64]:
    """How often each bin of a cross was hit: int64 (product of `sizes`,), last axis fastest.

    `classes` has an array for each axis, all of one shape or broadcast to it; where one of them is
    -1, nothing is counted. Raises ValueError for a class that its axis does not have.
    """
    arrays = np.broadcast_arrays(*classes)
    counted = np.logical_and.reduce([array >= 0 for array in arrays])
    bins = np.ravel_multi_index([array[counted] for array in arrays], sizes)
    return np.bincount(bins, minlength=int(np.prod(sizes))).astype(np.int64)


@dataclass(frozen=True)
class Covergroup:
    """One cross that a test may hit.

    `about` is one line for a report, `rules` are IDs of docs/testplan.md for which its hits are
    evidence. `axes` gives the labels along each axis, `classify` an array of classes for each axis
    as `cross_hits` wants them. `reachable` tells, by class numbers, which bins a design can reach
    at all: the others are no bins of it.
    """

    name: str
    about: str
    rules: tuple[str, ...]
    axes: Callable[[Design], tuple[Labels, ...]]
    classify: Callable[[Observed], tuple[NDArray[np.integer], ...]]
    reachable: Callable[..., bool] = always

    def bins(self, design: Design) -> tuple[str, ...]:
        """All bins that this design can reach, in order."""
        names = self._names(design)
        return tuple(names[number] for number in np.flatnonzero(self._kept(design)))

    def sample(self, observed: Observed) -> NDArray[np.int64]:
        """Hits per bin, in the order of `bins`: int64 (number of bins,).

        Raises ValueError where a bin was hit that is said to be out of reach.
        """
        design = observed.design
        hits = cross_hits(self.classify(observed), [len(labels) for labels in self.axes(design)])
        kept = self._kept(design)
        wrong = np.flatnonzero(~kept & (hits > 0))
        if len(wrong):
            raise ValueError(
                f"{self.name}: {self._names(design)[wrong[0]]} was hit, but is out of reach of "
                f"{design}"
            )
        return hits[kept]

    def _names(self, design: Design) -> list[str]:
        return [" x ".join(labels) for labels in product(*self.axes(design))]

    def _kept(self, design: Design) -> NDArray[np.bool_]:
        numbers = product(*(range(len(labels)) for labels in self.axes(design)))
        return np.array([self.reachable(design, *classes) for classes in numbers])
