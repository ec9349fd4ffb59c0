"""Building a simulation, once for each different content of what it is made of."""

import importlib.metadata
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from flow.benches import Bench
from flow.cache import Made, digests, made_once, write_sources
from flow.errors import UserError
from flow.jobs import run_job
from flow.netlist import NETLIST, netlist_sources, visible_ports
from flow.places import ROOT
from flow.tools import Simulator

BUILD_LIMIT_SECONDS = 1800
TIMESCALE = ("1ns", "1ps")

FLAGS = {
    "icarus": ["-g2005", "-Wall"],
    # Unknown values become random ones, which the seed repeats. The clock of the player needs
    # --timing. A warning is for `make lint`, and does not stop a run.
    "verilator": ["-O3", "--timing", "--x-assign", "unique", "--x-initial", "unique", "-Wno-fatal"],
}

# The C++ in one file, which needs no precompiled headers, and little optimised: measured, a build
# takes a third of the time, and a run no longer, because its time is that of the Python testbench.
# Not where there is much C++, as in what counts coverage and in a netlist: there parts are quicker.
QUICK_BUILD = ["--output-split", "0", "-CFLAGS", "-O1"]

# By default Verilator leaves out the toggles of what is wider than 256 bits.
_COVERAGE_FLAGS = [
    *("--coverage-line", "--coverage-toggle", "--coverage-expr"),
    *("--coverage-max-width", "4096"),
]

# In a netlist the enable of each flip-flop that needs none is open: thousands of warnings, of which
# Icarus can only leave out all.
_NETLIST_FLAGS = {
    "icarus": ["-g2005"],
    "verilator": [*FLAGS["verilator"], "-Wno-PINMISSING"],
}


class BuildError(UserError):
    """The design does not build; `log` has all that the simulator said."""

    def __init__(self, message: str, log: Path) -> None:
        super().__init__(message)
        self.log = log


def build(
    bench: Bench,
    simulator: Simulator,
    parameters: Mapping[str, int],
    *,
    waves: bool = False,
    netlist: bool = False,
    coverage: bool = False,
) -> Made:
    """The build of `bench`, made if there is none of exactly these contents.

    With `coverage` (Verilator alone) it counts lines, branches, expressions and toggles.

    Raises:
        BuildError: the simulator refused the design, or warned.
    """
    flags = list(FLAGS[simulator.name])
    if coverage:
        flags += _COVERAGE_FLAGS
    elif simulator.name == "verilator":
        flags += QUICK_BUILD
    if netlist:
        sources = netlist_sources(bench, parameters)
        parameters, flags = {}, _NETLIST_FLAGS[simulator.name]
        sources["ports.vlt"] = visible_ports(bench, sources[NETLIST])
    else:
        sources = {path.name: path.read_bytes() for path in bench.sources()}
    if simulator.name != "verilator":
        sources = {name: text for name, text in sources.items() if not name.endswith(".vlt")}
    if waves and simulator.name == "icarus" and not bench.dump:
        dump = ROOT / "tb" / "hdl" / "dump_vcd.v"
        sources[dump.name] = dump.read_bytes()
    if not sources:
        raise UserError(f"there is no Verilog in {ROOT / 'rtl'}")
    arguments: dict[str, object] = {
        "simulator": simulator.name,
        "hdl_toplevel": bench.toplevel,
        "parameters": dict(parameters),
        "build_args": list(flags),
        "timescale": TIMESCALE,
        "always": True,
        "some_visible": any(name.endswith(".vlt") for name in sources),
    }
    if waves and not (bench.dump and simulator.name == "icarus"):
        arguments |= _with_waves(arguments, bench, simulator)
    ingredients = {
        "sources": digests(sources),
        "arguments": arguments,
        "simulator": [str(simulator.path), simulator.version],
        # The binary holds the path of cocotb's libraries.
        "cocotb": [importlib.metadata.version("cocotb"), sys.prefix],
    }
    return made_once(
        f"{bench.name}-{simulator.name}",
        ingredients,
        lambda folder: _make(folder, sources, arguments, simulator),
    )


def _with_waves(
    arguments: Mapping[str, object], bench: Bench, simulator: Simulator
) -> dict[str, object]:
    if simulator.name == "verilator":
        return {"waves": True}
    return {
        "build_args": [*arguments["build_args"], "-s", "dump_vcd"],
        "defines": {"DUMP_TOP": bench.toplevel},
    }


def _make(
    folder: Path,
    sources: Mapping[str, bytes],
    arguments: Mapping[str, object],
    simulator: Simulator,
) -> None:
    job = {
        "kind": "build",
        **arguments,
        "sources": [str(path) for path in write_sources(sources, folder)],
        "build_dir": str(folder),
    }
    environment = {"PATH": f"{simulator.path.parent}:{os.environ.get('PATH', os.defpath)}"}
    if "OBJCACHE" not in os.environ and shutil.which("ccache"):
        environment["OBJCACHE"] = "ccache"
    log = folder / "build.log"
    ended = run_job(
        job, folder=folder, log=log, limit=BUILD_LIMIT_SECONDS, extra_environment=environment
    )
    said = log.read_text(encoding="utf-8", errors="replace").strip()
    if ended.status == 0 and not ended.timed_out and not _warnings(simulator, said):
        return
    # Kept apart, because the folder is removed.
    with tempfile.NamedTemporaryFile(
        "w", dir=folder.parent, prefix=f"{folder.name}-", suffix=".log", delete=False
    ) as kept:
        kept.write(said)
    reason = "was killed by its limit of time" if ended.timed_out else "failed"
    lines = _warnings(simulator, said) if ended.status == 0 else said.splitlines()
    first = "\n".join(f"  {line}" for line in lines[:8])
    raise BuildError(
        f"the build with {simulator.title} {reason}; log: {kept.name}\n{first}", Path(kept.name)
    )


def _warnings(simulator: Simulator, said: str) -> list[str]:
    """What a build that succeeded should not have said: Icarus is silent where all is well."""
    return said.splitlines() if simulator.name == "icarus" else []
