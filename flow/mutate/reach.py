"""Proofs that a mutant can never act in the unit: the states in which it would are not reachable."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from flow.cache import digests, made_once
from flow.mutate import gates, miter, proofs
from flow.mutate.miter import Units, write_activity, write_aiger
from flow.mutate.mutants import NETS, PREPARED, Mutant, yosys_name
from flow.mutate.plan import SELECT, TOP
from flow.mutate.play import plant
from flow.mutate.proofs import PROVEN, Verdict
from model import LANES

_ADDRESSES = ("gatherb_agu", "loadalign_agu", "address_check")
_BANKS = ("bank_group",)

CUTS = {
    "gatherb_agu": ("block_xbar", "fill_port", "response_queue"),
    "loadalign_agu": ("block_xbar", "fill_port", "response_queue"),
    "address_check": ("block_xbar", "fill_port", "response_queue"),
    "ub_load_unit": (*_ADDRESSES, *_BANKS),
    "fill_port": (*_ADDRESSES, *_BANKS),
    "response_queue": (*_ADDRESSES, *_BANKS),
    "block_xbar": (*_ADDRESSES, *_BANKS),
}
"""What a proof for a module leaves out of the unit: its outputs may then be anything.

For the modules of a bank_group no proof of this kind has come to an end.
"""


_GUARDS = {
    "block_xbar.command_active": "block_xbar.command_valid",
    "response_queue.report": "response_queue.report_valid",
}


def prove_idle(
    prepared: Path, mutants: Sequence[Mutant], module: str, seconds: int
) -> list[Verdict]:
    """Whether each mutant of `module` can ever make the unit do something else than it should.

    The unit starts from zeros with every input free in every cycle, without what CUTS leaves out:
    more is reachable in it than in the whole unit. A mutant is equivalent where in no reachable state
    a next state, an output or an input of what is left out can differ; or, with the mutant's own
    states beside those of the design, no output and no input of what is left out.

    Raises:
        UserError: a tool failed.
    """
    cut = CUTS.get(module)
    if cut is None:
        return [Verdict(TOP, proofs.OPEN) for _ in mutants]
    ingredients = {
        "design": digests({"": (prepared / PREPARED).read_bytes()}),
        "mutants": [each.passes(number) for number, each in enumerate(mutants, 1)],
        "cut": [*cut, seconds],
        "flow": digests({name: Path(name).read_bytes() for name in _FLOW}),
    }

    def make(folder: Path) -> None:
        modules = json.loads((prepared / NETS).read_text(encoding="utf-8"))["modules"]
        named = [yosys_name(modules, each) for each in cut if _has(modules, each)]
        planted = plant(prepared, mutants, folder, TOP, named)
        units = Units(planted, SELECT)
        inner = {
            f"{path}.{name}": planted.names[f"{path}.{name}"]
            for path, kind in instances(modules, TOP)
            if kind in named
            for name, port in modules[kind]["ports"].items()
            if port["direction"] == "input"
        }
        units.output_nets += [net for nets in inner.values() for net in nets]
        outputs = [*_guarded(inner), *proofs.guarded_outputs(planted, TOP)]
        results = []
        for number in range(1, len(mutants) + 1):
            path = folder / "miter.aig"
            write_activity(path, units, number)
            result = proofs.run_abc(path, seconds)
            if result != PROVEN and write_aiger(path, units, number, outputs):
                result = proofs.run_abc(path, seconds)
            results.append(result)
        for name in ("gates.json", "yosys.log"):
            (folder / name).unlink()
        (folder / "verdicts.json").write_text(json.dumps(results), encoding="utf-8")

    made = made_once("reach", ingredients, make)
    results = json.loads((made.folder / "verdicts.json").read_text(encoding="utf-8"))
    return [Verdict(TOP, result if result == PROVEN else proofs.OPEN) for result in results]


def _guarded(inner: Mapping[str, Sequence[int]]) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """The inputs of what is left out, with the nets without which they do not count.

    By the contract of block_xbar a command counts while it is valid, and the block of a lane while the
    lane is active; by that of response_queue a report while it is valid.
    """
    for name, nets in inner.items():
        if name == "block_xbar.command_block":
            valid, active = inner["block_xbar.command_valid"], inner["block_xbar.command_active"]
            width = len(nets) // LANES
            for lane in range(LANES):
                yield [*valid, active[lane]], nets[width * lane :][:width]
        elif name in _GUARDS:
            yield inner[_GUARDS[name]], nets
        else:
            yield (), nets


def instances(modules: Mapping[str, dict], top: str, path: str = "") -> Iterator[tuple[str, str]]:
    """The path within the flattened `top` of each instance of a module, and Yosys' name of that."""
    for name, cell in modules[top]["cells"].items():
        if cell["type"] in modules:
            inner = f"{path}.{name}".lstrip(".")
            yield inner, cell["type"]
            yield from instances(modules, cell["type"], inner)


def _has(modules: Mapping[str, dict], module: str) -> bool:
    return any(re.search(rf"(^|\\|\$){module}(\\|$)", name) for name in modules)


_FLOW = (gates.__file__, miter.__file__, proofs.__file__, __file__)
