"""The bench's stimulus against mutants, batch by batch; what was found once is kept by its content."""

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flow.cache import digests, made_once
from flow.errors import UserError
from flow.mutate import gates
from flow.mutate.mutants import PREPARED, Mutant
from flow.mutate.play import (
    SIMULATOR,
    Ports,
    Seen,
    build_simulator,
    plant,
    play,
    write_gates,
    write_traces,
)
from flow.mutate.stimulus import Driven, Trace, trace_of
from flow.places import ensure_folder

BATCH = 2000
"""Mutants in one netlist."""

_FOUND = "found.json"


@dataclass(frozen=True)
class Death:
    """What kills a mutant: the test or case, the output, commands and cycles up to then."""

    by: str
    output: str
    commands: int
    cycles: int


class Stimulus:
    """All traces of a unit, one behind the other."""

    def __init__(self, driven: Sequence[Driven], parameters: Mapping[str, int]) -> None:
        self.parameters = parameters
        self.traces: list[Trace] = [
            trace for each in driven for trace in trace_of(each, parameters)
        ]
        self.starts = np.cumsum([0, *(trace.cycles for trace in self.traces)])
        offered = np.concatenate([trace.inputs[:, 1] for trace in self.traces]).astype(np.int64)
        # A new number is a new command: it has been offered.
        self._commands = np.cumsum((np.diff(offered, prepend=-1) != 0) & (offered < 1 << 31))

    def write(self) -> tuple[Path, str]:
        """The file of the traces, and its digest; written once for each content."""
        folder = ensure_folder("build") / "cache"
        folder.mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix="traces-", delete=False) as file:
            partial = Path(file.name)
        write_traces(partial, self.traces, self.parameters)
        digest = hashlib.sha256(partial.read_bytes()).hexdigest()
        path = folder / f"traces-{digest[:16]}.bin"
        partial.replace(path)
        return path, digest

    def death(self, seen: Seen) -> Death:
        """The cycle in which a mutant is seen, in words."""
        at = int(np.searchsorted(self.starts, seen.cycle, side="right")) - 1
        return Death(
            self.traces[at].name, seen.output, int(self._commands[seen.cycle]), seen.cycle + 1
        )

    @property
    def commands(self) -> int:
        """How many commands are sent."""
        return int(self._commands[-1])

    @property
    def cycles(self) -> int:
        """How many cycles are played."""
        return int(self.starts[-1])


def kill(
    prepared: Path, mutants: Sequence[Mutant], stimulus: Stimulus, traces: tuple[Path, str]
) -> list[Death | None]:
    """What kills each mutant of a batch; None where nothing does.

    What shows only in what the banks do is a death by "bank access", as on the bench.

    Raises:
        UserError: the design itself is not as the models say, or a tool failed.
    """
    traces_file, digest = traces
    simulator = build_simulator()

    def make(folder: Path) -> None:
        planted = plant(prepared, mutants, folder)
        ports = Ports(planted, stimulus.parameters)
        write_gates(folder / "gates.bin", planted, ports)
        found = play(simulator, folder / "gates.bin", traces_file, ports, range(len(mutants) + 1))
        _check_design(stimulus, *found.pop(0))
        listing = [
            [None if seen is None else [seen.cycle, seen.output] for seen in found[number]]
            for number in sorted(found)
        ]
        for name in ("gates.bin", "gates.json", "yosys.log"):
            (folder / name).unlink()
        (folder / _FOUND).write_text(json.dumps(listing), encoding="utf-8")

    ingredients = {
        "design": digests({"": (prepared / PREPARED).read_bytes()}),
        "mutants": [each.passes(number) for number, each in enumerate(mutants, 1)],
        "stimulus": digest,
        "flow": digests({path.name: path.read_bytes() for path in _FLOW}),
    }
    made = made_once("mutants", ingredients, make)
    deaths: list[Death | None] = []
    for seen, at_bank in json.loads((made.folder / _FOUND).read_text(encoding="utf-8")):
        first = seen or at_bank
        deaths.append(stimulus.death(Seen(*first)) if first else None)
    return deaths


_FLOW = (SIMULATOR, SIMULATOR.with_name("play.py"), Path(gates.__file__))


def _check_design(stimulus: Stimulus, seen: Seen | None, at_bank: Seen | None) -> None:
    for first in filter(None, (seen, at_bank)):
        death = stimulus.death(first)
        raise UserError(
            f"the design without a mutant is not as the models say: {death.output} in {death.by}, "
            f"cycle {death.cycles}. `make sim` first"
        )


def batches(mutants: Sequence[Mutant]) -> list[Sequence[Mutant]]:
    """The mutants of a module, BATCH at a time."""
    return [mutants[at : at + BATCH] for at in range(0, len(mutants), BATCH)]
