"""Proofs that a mutant is equivalent: by structure, or by ABC from the reset on, without a bound."""

import importlib.util
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flow.cache import digests, made_once
from flow.errors import UserError
from flow.mutate import gates, miter
from flow.mutate.miter import Units, write_aiger
from flow.mutate.mutants import PREPARED, Mutant
from flow.mutate.plan import SELECT, TOP
from flow.mutate.play import plant

STRUCTURE, PROVEN, DIFFERS, OPEN = "same gates", "proven", "differs", "open"

_VERDICTS = {"Property proved": PROVEN, "was asserted in frame": DIFFERS}


# States that are equal by induction are merged first; often nothing is left.
_PASSES = "read_aiger {miter}; scorr; write_aiger left.aig; pdr -T {seconds}"


@dataclass(frozen=True)
class Verdict:
    """What came of comparing a mutant with the design, as `scope` alone with free inputs."""

    scope: str
    result: str


def prove(prepared: Path, mutants: Sequence[Mutant], scope: str, seconds: int) -> list[Verdict]:
    """Compare each mutant with the design within the module `scope` (Yosys' name).

    Both start from a state of zeros, with every input free in every cycle, so also the reset.
    `seconds` bounds the search for a single proof.

    Raises:
        UserError: a tool failed.
    """
    ingredients = {
        "design": digests({"": (prepared / PREPARED).read_bytes()}),
        "mutants": [each.passes(number) for number, each in enumerate(mutants, 1)],
        "scope": [scope, seconds],
        "flow": digests({name: Path(name).read_bytes() for name in _FLOW}),
    }

    def make(folder: Path) -> None:
        planted = plant(prepared, mutants, folder, scope)
        units = Units(planted, SELECT)
        outputs = guarded_outputs(planted, scope)
        results = []
        for number in range(1, len(mutants) + 1):
            path = folder / "miter.aig"
            if write_aiger(path, units, number, outputs):
                results.append(run_abc(path, seconds))
            else:
                results.append(STRUCTURE)
        for name in ("gates.json", "yosys.log"):
            (folder / name).unlink()
        (folder / "verdicts.json").write_text(json.dumps(results), encoding="utf-8")

    made = made_once("proofs", ingredients, make)
    results = json.loads((made.folder / "verdicts.json").read_text(encoding="utf-8"))
    return [Verdict(scope, result) for result in results]


def guarded_outputs(planted: gates.Gates, scope: str) -> list[tuple[Sequence[int], Sequence[int]]]:
    """The outputs of a module; the payload of a response counts only while it is valid."""
    payload = [name for name in planted.outputs if scope == TOP and name.startswith("rsp_")]
    payload = [name for name in payload if name != "rsp_valid"]
    always = [net for name, nets in planted.outputs.items() if name not in payload for net in nets]
    guarded = [net for name in payload for net in planted.outputs[name]]
    return [((), always), (planted.names["rsp_valid"] if payload else (), guarded)]


def run_abc(path: Path, seconds: int) -> str:
    """What ABC says of the output of a graph: PROVEN (it is never 1), DIFFERS or OPEN."""
    command = [str(_program()), "-c", _PASSES.format(miter=path.name, seconds=seconds)]
    left = path.with_name("left.aig")
    left.unlink(missing_ok=True)
    try:
        result = subprocess.run(
            command,
            cwd=path.parent,
            capture_output=True,
            text=True,
            timeout=2 * seconds + 10,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return OPEN
    if left.exists() and _is_constant_zero(left.read_bytes()):
        return PROVEN
    said = (verdict for words, verdict in _VERDICTS.items() if words in result.stdout)
    return next(said, OPEN)


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


_FLOW = (gates.__file__, miter.__file__, __file__)
