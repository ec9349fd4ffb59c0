"""Proofs that a mutant is equivalent: by structure, or by ABC from the reset on, without a bound."""

import importlib.util
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from flow.cache import digests, made_once
from flow.errors import UserError
from flow.mutate import contract, gates, miter, scopes
from flow.mutate.contract import CONTRACTS
from flow.mutate.miter import write_activity, write_aiger
from flow.mutate.mutants import PREPARED, Mutant
from flow.mutate.plan import Scope
from flow.mutate.scopes import Part, part_of_unit

# States that are equal by induction, over one cycle and over three, are merged first; often nothing is left.
_PASSES = "read_aiger {miter}; scorr; scorr -F 3; write_aiger left.aig; pdr -T {seconds}"
_SECONDS = 5
"""For the search for one proof, where nothing is left to merge."""


def prove(prepared: Path, mutants: Sequence[Mutant], scope: Scope) -> list[bool]:
    """Which of the mutants are proven to be equivalent within a scope.

    Design and mutant start from zeros, with every input free in every cycle, so also the reset, and
    the outputs of what the scope leaves out. Equivalent is a mutant of which no output, and no
    input of what is left out, can ever differ where it counts.

    Raises:
        UserError: a tool failed.
    """
    if scope.in_use and CONTRACTS[scope.module].readings:
        _need_readings(prepared, scope.module)

    def make(folder: Path) -> None:
        part = part_of_unit(prepared, mutants, scope, folder)
        results = [
            _never_differs(folder / "miter.aig", part, number)
            for number in range(1, len(mutants) + 1)
        ]
        for name in ("gates.json", "yosys.log"):
            (folder / name).unlink()
        (folder / "verdicts.json").write_text(json.dumps(results), encoding="utf-8")

    made = made_once("proofs", _ingredients(prepared, mutants, scope), make)
    return json.loads((made.folder / "verdicts.json").read_text(encoding="utf-8"))


def _ingredients(prepared: Path, mutants: Sequence[Mutant], scope: Scope) -> dict[str, object]:
    """All that a proof depends on."""
    check = CONTRACTS[scope.module].check.read_bytes() if scope.in_use else b""
    return {
        "design": digests({"": (prepared / PREPARED).read_bytes()}),
        "mutants": [each.passes(number) for number, each in enumerate(mutants, 1)],
        "scope": [scope.module, *scope.cut, scope.in_use],
        "check": digests({"": check}),
        "flow": digests({name: Path(name).read_bytes() for name in _FLOW}),
    }


def _never_differs(path: Path, part: Part, number: int) -> bool:
    if not write_aiger(path, part.units, number, part.outputs) or _is_never_1(path):
        return True
    # Where the mutant never acts it needs no states of its own, and less is to be proven.
    write_activity(path, part.units, number, part.outputs)
    return _is_never_1(path)


def _need_readings(prepared: Path, module: str) -> None:
    """Refuse a contract if what is around the module does not do the same, whatever does not count."""
    agreed = CONTRACTS[module]

    def make(folder: Path) -> None:
        part = part_of_unit(prepared, [], agreed.readers, folder)
        units, moved = part.units, {}
        for path in (path for path, kind in part.instances.items() if kind == module):
            for one, other in agreed.implied:
                asks, valid = (
                    units.all_of(part.planted.names[f"{path}.{name}"]) for name in (one, other)
                )
                units.assume(units.graph.either(asks ^ 1, valid))
            for guard, nets in contract.not_counted(agreed, part.planted, f"{path}."):
                counts = units.all_of(guard) if guard else None
                for net in nets:
                    free = units.anything()
                    moved[net] = (
                        free
                        if counts is None
                        else units.graph.choose(counts, units.literal(net), free)
                    )
        miter = folder / "miter.aig"
        if write_aiger(miter, units, 0, part.outputs, moved) and not _is_never_1(miter):
            raise UserError(
                f"what is around {module} reads outputs of it while they do not count: correct "
                "CONTRACTS in flow/mutate/contract.py, or the design"
            )

    ingredients = {**_ingredients(prepared, [], agreed.readers), "contract": repr(agreed)}
    made_once("readings", ingredients, make)


def _is_never_1(path: Path) -> bool:
    """Whether ABC proves that the output of a graph is never 1."""
    command = [str(_program()), "-c", _PASSES.format(miter=path.name, seconds=_SECONDS)]
    left = path.with_name("left.aig")
    left.unlink(missing_ok=True)
    try:
        result = subprocess.run(
            command, cwd=path.parent, capture_output=True, text=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    if left.exists() and _is_constant_zero(left.read_bytes()):
        return True
    return "Property proved" in result.stdout


def _is_constant_zero(aiger: bytes) -> bool:
    """Whether nothing is left of a graph but an output that is never 1."""
    header, output = aiger.split(b"\n")[:2]
    _, _, _, latches, _, ands = header.split()[:6]
    return (latches, ands, output) == (b"0", b"0", b"0")


def _program() -> Path:
    spec = importlib.util.find_spec("pyosys")
    if spec is None or spec.origin is None:
        raise UserError("pyosys is missing: make test or make mutate sets it up")
    return Path(spec.origin).with_name("yosys-abc")


_FLOW = (gates.__file__, miter.__file__, contract.__file__, scopes.__file__, __file__)
