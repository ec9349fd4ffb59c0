"""The part of the unit within which a mutant is compared with the design, and what counts there."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flow.mutate import contract
from flow.mutate.contract import CONTRACTS
from flow.mutate.gates import Gates
from flow.mutate.miter import Guarded, Units
from flow.mutate.mutants import NETS, Mutant, instances, yosys_name, yosys_names
from flow.mutate.plan import SELECT, TOP, Scope
from flow.mutate.play import plant
from model import LANES

_GUARDS = {
    "block_xbar.command_active": "command_valid",
    "response_queue.report": "report_valid",
    "lane_collector.select": "collect",
    "lane_collector.bank_data": "collect",
    "lane_collector.collect_slot": "collect",
    "bank_memory.write": "enable",
    "bank_memory.row": "enable",
    "bank_memory.write_data": "enable",
}
"""Inputs that count, by the contract of their module, only while another one is 1."""

Nets = Mapping[str, Sequence[int]]
Guard = tuple[Sequence[int], Sequence[int]]


@dataclass(frozen=True)
class Part:
    """A scope as a graph, with mutants planted: `outputs` are what is compared."""

    units: Units
    outputs: Guarded
    planted: Gates
    instances: Mapping[str, str]
    """The module of each instance by its path, those that are cut out as well."""


def part_of_unit(prepared: Path, mutants: Sequence[Mutant], scope: Scope, folder: Path) -> Part:
    """A scope with these mutants, which the numbers from 1 on switch on; written into `folder`.

    Raises:
        UserError: Yosys failed.
    """
    modules = json.loads((prepared / NETS).read_text(encoding="utf-8"))["modules"]
    top = yosys_name(modules, scope.module)
    cut = {name: module for module in scope.cut for name in yosys_names(modules, module)}
    planted = plant(prepared, mutants, folder, top, list(cut))
    units = Units(planted, SELECT)
    inside = dict(instances(modules, top))
    inner = {
        f"{path}.{name}": planted.names[f"{path}.{name}"]
        for path, kind in inside.items()
        if kind in cut
        for name, port in modules[kind]["ports"].items()
        if port["direction"] == "input"
    }
    outputs = list(_guarded_inputs(inner, planted))
    if scope.in_use:
        agreed = CONTRACTS[scope.module]
        values = modules[top]["parameter_default_values"]
        parameters = {name: int(value, 2) for name, value in values.items()}
        contract.assume(units, planted, agreed, parameters)
        outputs += contract.read(agreed, planted, list(planted.outputs))
    else:
        outputs += _guarded_outputs(planted, scope.module)
    return Part(
        units, outputs, planted, {path: cut.get(kind, kind) for path, kind in inside.items()}
    )


def _guarded_inputs(inner: Nets, planted: Gates) -> Iterator[Guard]:
    """The inputs of what is left out, with the nets without which they do not count.

    By the contract of block_xbar the block of a lane counts while the lane is active too, by those of
    the banks a fill while it waits.
    """
    for name, nets in inner.items():
        module, _, port = name.rpartition(".")
        kind = f"{module.rpartition('.')[2]}.{port}"
        if name == "block_xbar.command_block":
            valid, active = inner["block_xbar.command_valid"], inner["block_xbar.command_active"]
            width = len(nets) // LANES
            for lane in range(LANES):
                yield [*valid, active[lane]], nets[width * lane :][:width]
        elif kind in _GUARDS:
            yield inner[f"{module}.{_GUARDS[kind]}"], nets
        elif name.endswith((".fill_block", ".fill_data")):
            yield planted.names.get("fill_port.waiting", ()), nets
        else:
            yield (), nets


def _guarded_outputs(planted: Gates, module: str) -> Iterator[Guard]:
    """The outputs of a module; the payload of a response counts only while it is valid."""
    for name, nets in planted.outputs.items():
        is_payload = module == TOP and name.startswith("rsp_") and name != "rsp_valid"
        yield planted.names["rsp_valid"] if is_payload else (), nets
