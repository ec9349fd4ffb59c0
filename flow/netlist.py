"""The synthesized netlist of a bench's design, and models of its cells, for a simulation.

`python -m flow.netlist JOB` makes one in a process of its own; JOB is JSON: `{"top": name,
"parameters": {...}, "sources": [paths without blanks], "netlist": path}`.
"""

import hashlib
import importlib.metadata
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from flow import process, tools
from flow.benches import Bench
from flow.errors import UserError
from flow.locks import locked
from flow.places import ROOT, ensure_folder, import_root

# Block RAMs have no model to simulate; without them the UB becomes distributed RAM.
SYNTHESIS = "synth_ecp5 -nobram"
LARGEST_UB_BYTES = 65536
LIMIT_SECONDS = 1800

CELLS = ROOT / "synth" / "ecp5_cells.v"


def netlist_sources(bench: Bench, parameters: Mapping[str, int]) -> dict[str, bytes]:
    """Verilog by file name: the netlist of `bench` with these parameters, and its cells.

    Made once for each different content; takes about half a minute.

    Raises:
        UserError: the Unified Buffer is too large, or the synthesis failed.
    """
    if parameters.get("UB_BYTES", 0) > LARGEST_UB_BYTES:
        raise UserError(
            f"UB_BYTES={parameters['UB_BYTES']} is not possible with NETLIST=1: at most "
            f"{LARGEST_UB_BYTES}, because the netlist has no block RAM"
        )
    sources = {path.name: path.read_bytes() for path in bench.sources()}
    ingredients = {
        "sources": {name: hashlib.sha256(content).hexdigest() for name, content in sources.items()},
        "parameters": dict(parameters),
        "top": bench.toplevel,
        "synthesis": SYNTHESIS,
        "yosys": importlib.metadata.version("pyosys"),
    }
    digest = hashlib.sha256(json.dumps(ingredients, sort_keys=True).encode()).hexdigest()[:16]
    cache = ensure_folder("build") / "cache"
    cache.mkdir(exist_ok=True)
    netlist = cache / f"{bench.name}-netlist-{digest}.v"
    with locked(netlist.with_suffix(".lock")):
        if not netlist.exists():
            _synthesize(bench, parameters, sources, netlist)
    return {"netlist.v": netlist.read_bytes(), CELLS.name: CELLS.read_bytes()}


def visible_ports(bench: Bench, netlist: bytes) -> bytes:
    """A control file that tells Verilator which signals cocotb sees: the ports of `netlist`."""
    ports = re.findall(rb"^  (?:input|output) (?:\[\d+:0\] )?(\w+);", netlist, re.MULTILINE)
    lines = [
        f'public_flat_rw -module "{bench.toplevel}" -var "{port.decode()}"\n' for port in ports
    ]
    return "".join(["`verilator_config\n", *lines]).encode()


def _synthesize(
    bench: Bench, parameters: Mapping[str, int], sources: Mapping[str, bytes], netlist: Path
) -> None:
    """Write `netlist`, whole or not at all."""
    # Yosys splits its command lines at blanks, which a temporary folder has none of.
    with tempfile.TemporaryDirectory(prefix="ubload-") as name:
        folder = Path(name)
        for source, content in sources.items():
            (folder / source).write_bytes(content)
        result, log = folder / "result", folder / "yosys.log"
        job = {
            "top": bench.toplevel,
            "parameters": dict(parameters),
            "sources": [str(folder / source) for source in sources],
            "netlist": str(result),
        }
        ended = process.run(
            [sys.executable, "-s", "-m", "flow.netlist", json.dumps(job)],
            environment=tools.environment(PYTHONPATH=str(import_root())),
            folder=folder,
            log=log,
            limit=LIMIT_SECONDS,
        )
        if ended.status != 0 or ended.timed_out:
            last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
            raise UserError("the synthesis of the netlist failed:\n  " + "\n  ".join(last))
        partial = netlist.with_suffix(".partial")
        partial.write_bytes(result.read_bytes())
        partial.replace(netlist)


def _main(job: dict) -> None:
    from pyosys import libyosys

    design = libyosys.Design()
    changes = "".join(f" -chparam {name} {value}" for name, value in job["parameters"].items())
    for command in (
        f"read_verilog {' '.join(job['sources'])}",
        f"hierarchy -check -top {job['top']}{changes}",
        f"{SYNTHESIS} -top {job['top']}",
        "check -assert",
        # Icarus computes a whole vector again when one bit of it changes.
        "splitnets",
        f"write_verilog -noattr {job['netlist']}",
    ):
        libyosys.run_pass(command, design)


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
