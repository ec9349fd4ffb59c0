"""Elaborates a harness around the unit: `python -m flow.formal.elaborate PASSES`, a JSON object.

A harness reads what stands inside the unit through wires with an attribute, which are tied once the
hierarchy is flattened; a star in a name stands for every index or block that there is. A wire with

* `inner = "unit.lane[*].head"` is all wires of that name, the first in the lowest bits;
* `memory = "unit.block", address = "row"` is the word of that memory at the address in wire `row`.

Yosys has nothing for the second, and no stars.
"""

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

from flow import process
from flow.errors import UserError


def tie(module: Any) -> None:
    """Tie the wires of a flattened harness, a module of pyosys.

    Raises:
        UserError: nothing has such a name, or not as many bits as the wire.
    """
    from pyosys import libyosys

    wires = {name.str()[1:]: wire for name, wire in dict(module.wires_).items()}
    memories = {name.str()[1:]: memory for name, memory in dict(module.memories).items()}

    def attribute(wire: Any, name: str) -> str:
        return wire.get_string_attribute(libyosys.IdString(f"\\{name}"))

    for name, wire in wires.items():
        inner, memory = attribute(wire, "inner"), attribute(wire, "memory")
        parts = [wires[part] for part in _matching(inner, wires)]
        words = [memories[part] for part in _matching(memory, memories)]
        if not (inner or memory):
            continue
        bits = sum(part.width for part in (*parts, *words))
        if bits != wire.width:
            raise UserError(f"{name} has {wire.width} bits, {inner or memory} has {bits}")
        offset = 0
        for part in parts:
            here = libyosys.SigSpec(wire, offset, part.width)
            module.connect(here, libyosys.SigSpec(part))
            offset += part.width
        for word in words:
            here = libyosys.SigSpec(wire, offset, word.width)
            _read(module, word, wires[attribute(wire, "address")], here)
            offset += word.width


def _matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that match, numbers within them in the order of their values."""
    expression = re.compile(re.escape(pattern).replace(r"\*", r"[^.\[\]]*"))
    return sorted(
        filter(expression.fullmatch, names),
        key=lambda name: [
            int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)
        ],
    )


def _read(module: Any, memory: Any, address: Any, data: Any) -> None:
    """Add a read port without clock to a memory."""
    from pyosys import libyosys

    cell = module.addCell(
        libyosys.IdString(f"$tie${memory.name.str()}"), libyosys.IdString("$memrd")
    )
    cell.setParam(libyosys.IdString("\\MEMID"), libyosys.Const(memory.name.str()))
    for name, value in (("ABITS", address.width), ("WIDTH", memory.width)):
        cell.setParam(libyosys.IdString(f"\\{name}"), libyosys.Const(value, 32))
    for name in ("CLK_ENABLE", "CLK_POLARITY", "TRANSPARENT"):
        cell.setParam(libyosys.IdString(f"\\{name}"), libyosys.Const(0, 1))
    cell.setPort(libyosys.IdString("\\CLK"), libyosys.SigSpec(libyosys.Const(0, 1)))
    cell.setPort(libyosys.IdString("\\EN"), libyosys.SigSpec(libyosys.Const(1, 1)))
    cell.setPort(libyosys.IdString("\\ADDR"), libyosys.SigSpec(address))
    cell.setPort(libyosys.IdString("\\DATA"), data)


def _main(passes: dict[str, list[str]]) -> None:
    from pyosys import libyosys

    design = libyosys.Design()
    for command in passes["flatten"]:
        libyosys.run_pass(command, design)
    tie(design.top_module())
    for command in passes["write"]:
        libyosys.run_pass(command, design)


if __name__ == "__main__":
    process.end_with_parent()
    try:
        _main(json.loads(sys.argv[1]))
    except UserError as error:
        sys.exit(f"error: {error}")
