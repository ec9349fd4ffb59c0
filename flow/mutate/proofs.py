"""Proofs that a mutant is equivalent: by structure, or by ABC from the reset on, without a bound."""

import importlib.util
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from flow.cache import digests, made_once
from flow.errors import UserError
from flow.mutate import gates, miter
from flow.mutate.miter import Guarded, Units, write_activity, write_aiger
from flow.mutate.mutants import NETS, PREPARED, Mutant, instances, yosys_name, yosys_names
from flow.mutate.plan import SELECT, TOP, Scope
from flow.mutate.play import plant
from model import LANES

# States that are equal by induction, over one cycle and over three, are merged first; often nothing is left.
_PASSES = "read_aiger {miter}; scorr; scorr -F 3; write_aiger left.aig; pdr -T {seconds}"
_SECONDS = 5
"""For the search for one proof, where nothing is left to merge."""

_GUARDS = {
    "block_xbar.command_active": "block_xbar.command_valid",
    "response_queue.report": "response_queue.report_valid",
}

Nets = Mapping[str, Sequence[int]]
Guard = tuple[Sequence[int], Sequence[int]]


def prove(prepared: Path, mutants: Sequence[Mutant], scope: Scope) -> list[bool]:
    """Which of the mutants are proven to be equivalent within a scope.

    Design and mutant start from zeros, with every input free in every cycle, so also the reset, and
    the outputs of what the scope leaves out. Equivalent is a mutant of which no output, and no
    input of what is left out, can ever differ where it counts.

    Raises:
        UserError: a tool failed.
    """
    ingredients = {
        "design": digests({"": (prepared / PREPARED).read_bytes()}),
        "mutants": [each.passes(number) for number, each in enumerate(mutants, 1)],
        "scope": [scope.module, *scope.cut],
        "flow": digests({name: Path(name).read_bytes() for name in _FLOW}),
    }

    def make(folder: Path) -> None:
        modules = json.loads((prepared / NETS).read_text(encoding="utf-8"))["modules"]
        top = yosys_name(modules, scope.module)
        cut = [name for module in scope.cut for name in yosys_names(modules, module)]
        planted = plant(prepared, mutants, folder, top, cut)
        units = Units(planted, SELECT)
        inner = {
            f"{path}.{name}": planted.names[f"{path}.{name}"]
            for path, kind in instances(modules, top)
            if kind in cut
            for name, port in modules[kind]["ports"].items()
            if port["direction"] == "input"
        }
        outputs = [*_guarded_inputs(inner, planted), *_guarded_outputs(planted, scope.module)]
        results = [
            _never_differs(folder / "miter.aig", units, number, outputs)
            for number in range(1, len(mutants) + 1)
        ]
        for name in ("gates.json", "yosys.log"):
            (folder / name).unlink()
        (folder / "verdicts.json").write_text(json.dumps(results), encoding="utf-8")

    made = made_once("proofs", ingredients, make)
    return json.loads((made.folder / "verdicts.json").read_text(encoding="utf-8"))


def _never_differs(path: Path, units: Units, number: int, outputs: Guarded) -> bool:
    if not write_aiger(path, units, number, outputs) or _is_never_1(path):
        return True
    # Where the mutant never acts it needs no states of its own, and less is to be proven.
    write_activity(path, units, number, outputs)
    return _is_never_1(path)


def _guarded_inputs(inner: Nets, planted: gates.Gates) -> Iterator[Guard]:
    """The inputs of what is left out, with the nets without which they do not count.

    By the contract of block_xbar a command counts while it is valid, and the block of a lane while the
    lane is active; by that of response_queue a report while it is valid; by those of the banks a fill
    while it waits.
    """
    for name, nets in inner.items():
        if name == "block_xbar.command_block":
            valid, active = inner["block_xbar.command_valid"], inner["block_xbar.command_active"]
            width = len(nets) // LANES
            for lane in range(LANES):
                yield [*valid, active[lane]], nets[width * lane :][:width]
        elif name in _GUARDS:
            yield inner[_GUARDS[name]], nets
        elif name.endswith((".fill_block", ".fill_data")):
            yield planted.names.get("fill_port.waiting", ()), nets
        else:
            yield (), nets


def _guarded_outputs(planted: gates.Gates, module: str) -> Iterator[Guard]:
    """The outputs of a module; the payload of a response counts only while it is valid."""
    for name, nets in planted.outputs.items():
        is_payload = module == TOP and name.startswith("rsp_") and name != "rsp_valid"
        yield planted.names["rsp_valid"] if is_payload else (), nets


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


_FLOW = (gates.__file__, miter.__file__, __file__)
