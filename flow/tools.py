"""Finding the simulators and what they need, with versions. Standard library only."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from flow.errors import UserError
from flow.places import VENV

SIMULATORS = ("icarus", "verilator")

_TITLES = {"icarus": "Icarus Verilog", "verilator": "Verilator"}
_NEEDED = {"icarus": "11.0", "verilator": "5.036"}
_COMMANDS = {"icarus": ("iverilog", "-V"), "verilator": ("verilator", "--version")}
_ADVICE = {
    "icarus": "install Icarus Verilog 11 or newer (Debian: apt-get install iverilog)",
    "verilator": "install Verilator 5.036 or newer",
}
BUILD_COMMANDS = ("perl", "g++", "make")


@dataclass(frozen=True)
class Simulator:
    """A simulator that is here and new enough."""

    name: str
    version: str
    path: Path

    @property
    def title(self) -> str:
        """Name and version as shown to the user."""
        return f"{_TITLES[self.name]} {self.version}"


@dataclass(frozen=True)
class Missing:
    """A simulator that cannot be used: why, and how to get it."""

    name: str
    why: str

    @property
    def advice(self) -> str:
        """One line: what is wrong and what to do."""
        return f"{_TITLES[self.name]} is left out: {self.why}"


def title(name: str) -> str:
    """A simulator as shown to the user."""
    return _TITLES[name]


def needed_version(name: str) -> str:
    """The oldest version of a simulator that serves."""
    return _NEEDED[name]


def find(name: str) -> Simulator | Missing:
    """Look for the simulator `name`, in `.venv` last: a system one that is new enough serves.

    Debian's Verilator 5.006 is too old for cocotb, so one in PATH is not simply taken.
    """
    command, version_option = _COMMANDS[name]
    too_old = ""
    # Resolved, because a search path cannot hold the colon that the path of a clone may have.
    for folder in [*os.get_exec_path(), str(VENV.resolve() / "bin")]:
        found = shutil.which(command, path=folder)
        if found is None:
            continue
        version = _version(found, version_option)
        if version is None:
            continue
        if _numbers(version) < _numbers(_NEEDED[name]):
            too_old = too_old or f"{found} is version {version}; "
            continue
        if name == "verilator" and (absent := missing_build_commands()):
            return Missing(name, f"it needs {', '.join(absent)}: install them")
        return Simulator(name, version, Path(found))
    return Missing(name, (too_old or f"no {command} was found; ") + _ADVICE[name])


def available() -> dict[str, Simulator | Missing]:
    """Every simulator of the project by name."""
    return {name: find(name) for name in SIMULATORS}


def require(name: str) -> Simulator:
    """The simulator `name`.

    Raises:
        UserError: it is missing or too old.
    """
    simulator = find(name)
    if isinstance(simulator, Missing):
        raise UserError(f"SIM={name} is not possible here: {simulator.why}")
    return simulator


def missing_build_commands() -> list[str]:
    """What of Verilator's own needs is not here."""
    return [command for command in BUILD_COMMANDS if shutil.which(command) is None]


def environment(**extra: str) -> dict[str, str]:
    """The environment for tools: constructed, so that the user's settings cannot change a run."""
    kept = ("PATH", "HOME", "USER", "TMPDIR", "TERM", "LD_LIBRARY_PATH", "CC", "CXX", "OBJCACHE")
    result = {name: os.environ[name] for name in kept if name in os.environ}
    result |= {name: value for name, value in os.environ.items() if name.startswith("CCACHE_")}
    result.setdefault("PATH", os.defpath)
    return result | {"LC_ALL": "C.UTF-8"} | extra


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _version(command: str, option: str) -> str | None:
    try:
        answer = subprocess.run(
            [command, option],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=30,
            env=environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"(?:Icarus Verilog version|Verilator) (\d+\.\d+)", answer.stdout)
    return match[1] if match else None
