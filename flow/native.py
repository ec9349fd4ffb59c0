"""The player in a program of its own: Verilator's C++ and a main function, no cocotb, no VPI."""

from collections.abc import Mapping
from pathlib import Path

from flow import process, tools
from flow.benches import BENCHES
from flow.build import BUILD_LIMIT_SECONDS, FLAGS, QUICK_BUILD, TIMESCALE
from flow.cache import digests, made_once, write_sources
from flow.places import ROOT

PLAYER = BENCHES["player"]
MAIN = ROOT / "tb" / "hdl" / "native_main.cpp"


def build_native(simulator: tools.Simulator, parameters: Mapping[str, int]) -> Path:
    """The program, made if there is none of exactly these contents.

    Raises:
        UserError: it cannot be built.
    """
    paths = [path for path in [*PLAYER.sources(), MAIN] if path.suffix != ".vlt"]
    sources = {path.name: path.read_bytes() for path in paths}
    options = [
        *("--cc", "--exe", "--build", "-j", "2", "--prefix", "Vtop", "-o", "native"),
        *("--top-module", PLAYER.toplevel, "--timescale", "/".join(TIMESCALE)),
        *FLAGS["verilator"],
        *QUICK_BUILD,
        *(f"-G{name}={value}" for name, value in parameters.items()),
    ]

    def make(folder: Path) -> None:
        process.run_tool(
            "the build of the native player",
            [str(simulator.path), *options, *map(str, write_sources(sources, folder))],
            environment=tools.environment(),
            folder=folder,
            log=folder / "build.log",
            limit=BUILD_LIMIT_SECONDS,
        )

    ingredients = {
        "sources": digests(sources),
        "options": options,
        "simulator": [str(simulator.path), simulator.version],
    }
    return made_once("native", ingredients, make).folder / "obj_dir" / "native"
