"""The synthesized netlist of a bench's design, and models of its cells, for a simulation."""

import re
from collections.abc import Mapping

from flow import yosys
from flow.benches import Bench
from flow.errors import UserError
from flow.places import ROOT

LARGEST_UB_BYTES = 65536

CELLS = ROOT / "tb" / "hdl" / "ecp5_cells.v"

NETLIST = "netlist.v"
_PASSES = (
    # Block RAMs have no model to simulate; without them the UB becomes distributed RAM.
    "synth_ecp5 -nobram",
    "check -assert",
    # Icarus computes a whole vector again when one bit of it changes.
    "splitnets",
    f"write_verilog -noattr {NETLIST}",
)


def netlist_sources(bench: Bench, parameters: Mapping[str, int]) -> dict[str, bytes]:
    """Verilog by file name: the netlist of `bench` with these parameters, and its cells.

    Takes about half a minute the first time.

    Raises:
        UserError: the Unified Buffer is too large, or the synthesis failed.
    """
    if parameters.get("UB_BYTES", 0) > LARGEST_UB_BYTES:
        raise UserError(
            f"UB_BYTES={parameters['UB_BYTES']} is not possible with NETLIST=1: at most "
            f"{LARGEST_UB_BYTES}, because the netlist has no block RAM"
        )
    sources = {path.name: path.read_bytes() for path in bench.sources()}
    folder = yosys.synthesize(bench.toplevel, parameters, sources, _PASSES)
    return {NETLIST: (folder / NETLIST).read_bytes(), CELLS.name: CELLS.read_bytes()}


def visible_ports(bench: Bench, netlist: bytes) -> bytes:
    """A control file that tells Verilator which signals cocotb sees: the ports of `netlist`."""
    ports = re.findall(rb"^  (?:input|output) (?:\[\d+:0\] )?(\w+);", netlist, re.MULTILINE)
    lines = [
        f'public_flat_rw -module "{bench.toplevel}" -var "{port.decode()}"\n' for port in ports
    ]
    return "".join(["`verilator_config\n", *lines]).encode()
