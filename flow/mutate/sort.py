"""`make mutate`: sorts every mutant: killed by the bench, proven equivalent, or unresolved."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flow.mutate.kill import Death, Stimulus, batches, kill
from flow.mutate.mutants import Mutant, all_mutants, prepare, source_files
from flow.mutate.plan import MOST, TARGETS, Scope, Target
from flow.mutate.proofs import prove
from flow.mutate.request import MutationRequest
from flow.mutate.search import search_stimulus
from flow.mutate.stimulus import Driven, bench_stimulus

KILLED, EQUIVALENT, UNRESOLVED = "killed", "equivalent", "unresolved"

Say = Callable[[str], None]
Drive = Callable[[Mapping[str, int]], Sequence[Driven]]


@dataclass(frozen=True)
class Sorted:
    """A mutant of a module and what became of it.

    `death` is what kills it, `proof` where it is proven equivalent. With `hole` nothing that the bench
    drives has killed it, only the search has.
    """

    target: Target
    mutant: Mutant
    status: str
    death: Death | None = None
    proof: str = ""
    hole: bool = False


def sort_mutants(request: MutationRequest, simulator: str, say: Say) -> list[Sorted]:
    """Sort all mutants, or a sample.

    Raises:
        UserError: a tool failed, or the design itself is not as the models say.
    """
    return sort_with(request, lambda parameters: bench_stimulus(parameters, simulator, say), say)


def sort_with(
    request: MutationRequest, drive: Drive, say: Say, targets: Sequence[Target] = TARGETS
) -> list[Sorted]:
    """Sort the mutants of `targets` by the stimulus that `drive` gives for a unit's parameters."""
    rtl = source_files()
    prepared = [prepare(rtl, target.parameters) for target in targets]
    listed = [
        all_mutants(folder, target.module) for target, folder in zip(targets, prepared, strict=True)
    ]
    taken = _taken(request, targets, listed)
    count = sum(map(len, taken))
    there_are = sum(map(len, listed))
    say(f"{count:,} mutants of {len(targets)} modules, of {there_are:,} there are")
    stimuli = _Stimuli(drive)
    progress = _Progress(count, say)
    work = [
        (target, folder, batch)
        for target, folder, own in zip(targets, prepared, taken, strict=True)
        for batch in batches(own)
    ]
    with ThreadPoolExecutor(request.jobs) as pool:

        def sort(job: tuple[Target, Path, Sequence[Mutant]]) -> list[Sorted]:
            result = list(_sort_batch(*job, stimuli))
            progress.add(result)
            return result

        for target, _, _ in work:
            stimuli.bench(target)
        return [each for result in pool.map(sort, work) for each in result]


def _taken(
    request: MutationRequest, targets: Sequence[Target], listed: Sequence[list[Mutant]]
) -> list[list[Mutant]]:
    """Of each target the mutants that are asked for."""
    if request.sample:
        all_of_them = [(at, mutant) for at, own in enumerate(listed) for mutant in own]
        drawn = _drawn(all_of_them, request.sample, request.seed)
        return [[mutant for at, mutant in drawn if at == number] for number in range(len(listed))]
    return [
        _drawn(own, MOST, request.seed) if target.sampled and not request.every else own
        for target, own in zip(targets, listed, strict=True)
    ]


def _drawn(values: list[Any], count: int, seed: int) -> list[Any]:
    """So many of them at random, in their order; all where there are no more."""
    numbers = random.Random(seed).sample(range(len(values)), min(count, len(values)))
    return [values[number] for number in sorted(numbers)]


def _sort_batch(
    target: Target, prepared: Path, mutants: Sequence[Mutant], stimuli: "_Stimuli"
) -> Iterator[Sorted]:
    left = list(mutants)

    def killed(stimulus: tuple[Stimulus, tuple[Path, str]], hole: bool) -> Iterator[Sorted]:
        deaths = kill(prepared, left, *stimulus) if left else []
        yield from (
            Sorted(target, mutant, KILLED, death, hole=hole)
            for mutant, death in zip(left, deaths, strict=True)
            if death
        )
        left[:] = [mutant for mutant, death in zip(left, deaths, strict=True) if not death]

    def proven(scope: Scope) -> Iterator[Sorted]:
        holds = prove(prepared, left, scope) if left else []
        yield from (
            Sorted(target, mutant, EQUIVALENT, proof=scope.name)
            for mutant, is_proven in zip(left, holds, strict=True)
            if is_proven
        )
        left[:] = [mutant for mutant, is_proven in zip(left, holds, strict=True) if not is_proven]

    nearest, *beyond = target.scopes
    yield from killed(stimuli.bench(target), hole=False)
    yield from proven(nearest)
    # Sooner found, where there is something, than not proven in a larger part of the unit.
    yield from killed(stimuli.search(target), hole=True)
    for scope in beyond:
        yield from proven(scope)
    for mutant in left:
        yield Sorted(target, mutant, UNRESOLVED)


class _Stimuli:
    """Traces, made when they are first needed."""

    def __init__(self, drive: Drive) -> None:
        self._drive = drive
        self._made: dict[tuple, tuple[Stimulus, tuple[Path, str]]] = {}

    def bench(self, target: Target) -> tuple[Stimulus, tuple[Path, str]]:
        return self._get("bench", self._drive, target)

    def search(self, target: Target) -> tuple[Stimulus, tuple[Path, str]]:
        return self._get("search", search_stimulus, target)

    def _get(self, name: str, drive: Drive, target: Target) -> tuple[Stimulus, tuple[Path, str]]:
        key = (name, *target.parameters.items())
        if key not in self._made:
            stimulus = Stimulus(drive(target.parameters), target.parameters)
            self._made[key] = stimulus, stimulus.write()
        return self._made[key]


class _Progress:
    """Says how many are sorted, and about how long the others take."""

    def __init__(self, total: int, say: Say) -> None:
        self._total, self._say = total, say
        self._counts = dict.fromkeys((KILLED, EQUIVALENT, UNRESOLVED), 0)
        self._start = time.monotonic()

    def add(self, result: Sequence[Sorted]) -> None:
        for each in result:
            self._counts[each.status] += 1
        done = sum(self._counts.values())
        left = (time.monotonic() - self._start) * (self._total - done) / done
        counts = ", ".join(f"{count:,} {status}" for status, count in self._counts.items())
        self._say(f"{done:,} of {self._total:,}: {counts}; about {left:.0f} s left")
