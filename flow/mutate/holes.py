"""Stored cases for mutants that the search alone has killed: what the bench has missed, it drives then."""

import asyncio
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path

from flow.mutate.mutants import Mutant, prepare, source_files
from flow.mutate.plan import Target
from flow.mutate.play import Ports, build_simulator, plant, play, write_gates, write_traces
from flow.mutate.search import search_stimulus
from flow.mutate.sort import Sorted
from flow.mutate.stimulus import CORPUS, RESET_CYCLES, Driven, trace_of
from model import Case, write_case
from tb.shrink.shrinker import Shrinker, Size

SECONDS = 60
"""For the shrinking of one case."""

Say = Callable[[str], None]


class OneMutant:
    """A mutant of a unit, planted, that plays case after case; its files are in `folder`."""

    def __init__(self, target: Target, mutant: Mutant, folder: Path) -> None:
        self.parameters = dict(target.parameters)
        self._folder = folder
        self._simulator = build_simulator()
        planted = plant(prepare(source_files(), self.parameters), [mutant], folder)
        self._ports = Ports(planted, self.parameters)
        write_gates(folder / "gates.bin", planted, self._ports)

    def dies(self, case: Case) -> int | None:
        """The cycle of the case, counted from the first one without reset, that shows the mutant."""
        loading, trace = trace_of(Driven("case", case), self.parameters)
        traces = self._folder / "traces.bin"
        write_traces(traces, [loading, trace], self.parameters)
        gates = self._folder / "gates.bin"
        found = play(self._simulator, gates, traces, self._ports, range(2))
        cycles = [seen.cycle for seen in found[1] if seen]
        return max(0, min(cycles) - loading.cycles - RESET_CYCLES) if cycles else None

    async def dies_soon(self, case: Case) -> int | None:
        """As `dies`, for the shrinker."""
        return self.dies(case)


def store_cases(results: Iterable[Sorted], say: Say) -> list[Path]:
    """Write a small case into tests/corpus for each mutant that is a hole and that no new case kills.

    Raises:
        UserError: a tool failed.
    """
    stored: dict[Path, Case] = {}
    for each in results:
        if not each.hole:
            continue
        with tempfile.TemporaryDirectory(prefix="ubload-mutant-") as name:
            mutant = OneMutant(each.target, each.mutant, Path(name))
            new = (case for case in stored.values() if case.parameters == mutant.parameters)
            if any(mutant.dies(case) is not None for case in new):
                continue
            case = _smallest(mutant, say)
        about = f"a mutant of {each.mutant.source} differs: {Size.of(case)}"
        path = _free_folder(f"mutant_of_{each.target.module}")
        stored[path] = replace(case, about=about).completed(mutant.parameters)
        write_case(path, stored[path])
        say(f"stored {path.parent.name}/{path.name}: {about}")
    return list(stored)


def _smallest(mutant: OneMutant, say: Say) -> Case:
    """What is left of the first play of the search that kills a mutant."""
    for driven in search_stimulus(mutant.parameters):
        cycle = mutant.dies(driven.case)
        if cycle is not None:
            shrinker = Shrinker(mutant.dies_soon, mutant.parameters, SECONDS, say)
            return asyncio.run(shrinker.shrink(driven.case, cycle)) or driven.case
    raise AssertionError("the search that has killed the mutant does not any more")


def _free_folder(name: str) -> Path:
    return next(path for number in count(1) if not (path := CORPUS / f"{name}_{number}").exists())
