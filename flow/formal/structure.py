"""Asks Yosys instead of a solver: which inputs of the unit reach an output without a register."""

from collections.abc import Mapping
from pathlib import Path

from flow import yosys
from flow.errors import UserError
from flow.places import ROOT

TOP = "ub_load_unit"

_INPUTS, _CELLS = "inputs.txt", "cells.txt"
# From the outputs back through every cell but a register. A memory's read port has no clock at this
# stage: from its data the way goes on to its address. What is written leaves by no other way.
_CONE = "o:* %ci*:-$dff"
_PASSES = (
    "proc",
    "flatten",
    "opt_clean",
    # Stands for what the walk goes through: were there other registers, it would pass them.
    "select -assert-none t:$adff t:$dffe t:$sdff t:$dlatch t:$sr %%",
    f"tee -q -o {_INPUTS} select -list {_CONE} i:* %i",
    f"tee -q -o {_CELLS} select -list {_CONE} c:* %i t:$dff %d",
)


def combinational_inputs(parameters: Mapping[str, int], rtl: Path) -> tuple[list[str], int, Path]:
    """The inputs on a combinational path to any output, how many cells were met on the way back
    from the outputs, and the folder of the netlist.

    Made once per content.

    Raises:
        UserError: Yosys failed, or the walk from the outputs went nowhere, which cannot be.
    """
    sources = {path.name: path.read_bytes() for path in sorted(rtl.glob("*.v"))}
    folder = yosys.synthesize(TOP, parameters, sources, _PASSES)
    inputs, cells = (
        [line.rpartition("/")[2] for line in (folder / name).read_text(encoding="utf-8").split()]
        for name in (_INPUTS, _CELLS)
    )
    if not cells:
        raise UserError(f"no cell was found behind the outputs of {ROOT / 'rtl' / TOP}.v")
    return inputs, len(cells), folder
