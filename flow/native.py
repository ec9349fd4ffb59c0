"""The player in a program of its own: Verilator's C++ and a main function, no cocotb, no VPI."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from flow import process, tools
from flow.benches import BENCHES
from flow.build import FLAGS, TIMESCALE
from flow.errors import UserError
from flow.locks import locked
from flow.places import ROOT, ensure_folder

PLAYER = BENCHES["player"]
MAIN = ROOT / "tb" / "hdl" / "native_main.cpp"
_LIMIT_SECONDS = 1800


def build_native(simulator: tools.Simulator, parameters: Mapping[str, int]) -> Path:
    """The program, made if there is none of exactly these contents.

    Raises:
        UserError: it cannot be built.
    """
    paths = [path for path in [*PLAYER.sources(), MAIN] if path.suffix != ".vlt"]
    options = [
        *("--cc", "--exe", "--build", "-j", "2", "--prefix", "Vtop", "-o", "native"),
        *("--top-module", PLAYER.toplevel, "--timescale", "/".join(TIMESCALE)),
        *FLAGS["verilator"],
        *(f"-G{name}={value}" for name, value in parameters.items()),
    ]
    ingredients = [simulator.version, options, *(path.read_text("utf-8") for path in paths)]
    digest = hashlib.sha256(json.dumps(ingredients).encode()).hexdigest()[:16]
    folder = ensure_folder("build") / "cache" / f"native-{digest}"
    program = folder / "obj_dir" / "native"
    with locked(folder.with_suffix(".lock")):
        if not program.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for path in paths:
                shutil.copy(path, folder)
            command = [str(simulator.path), *options, *(path.name for path in paths)]
            log = folder / "build.log"
            ended = process.run(
                command,
                environment=tools.environment(),
                folder=folder,
                log=log,
                limit=_LIMIT_SECONDS,
            )
            if ended.status != 0 or ended.timed_out:
                raise UserError(f"the build of the native player failed, see {log}")
    return program
