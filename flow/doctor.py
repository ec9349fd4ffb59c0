"""`make doctor`: what is here, what is needed, and what to do about the difference."""

import importlib.metadata
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from flow import tools
from flow.places import ROOT

_NEEDED_PYTHON = (3, 11)
_PACKAGE = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)

# Without these something else is slower or missing: (command, its option, what for, Debian's package).
_OPTIONAL = (
    ("ccache", "--version", "builds of Verilator in half the time", "ccache"),
    ("git", "--version", "the commit in reports", "git"),
    ("gtkwave", "--version", "make waves, where surfer is not", "gtkwave"),
    ("sbatch", "--version", "make regress ENGINE=slurm", "slurm-client"),
)


@dataclass(frozen=True)
class Finding:
    """A tool: its version ("" where it is missing), what is needed, and what to do, if anything."""

    name: str
    version: str
    needed: str
    advice: str = ""
    required: bool = True

    @property
    def line(self) -> str:
        """The finding as a line of the table."""
        mark = "ok" if not self.advice else "MISSING" if self.required else "-"
        line = f"{mark:8} {self.name:16} {self.version or 'none':12} {self.needed:22} {self.advice}"
        return line.rstrip()


def findings() -> Iterator[Finding]:
    """Everything that the project uses, one after another."""
    yield _python()
    simulators = list(tools.available().items())
    one_is_here = any(isinstance(found, tools.Simulator) for _, found in simulators)
    for name, found in simulators:
        title, needed = tools.title(name), f"{tools.needed_version(name)} or newer"
        if isinstance(found, tools.Simulator):
            yield Finding(title, found.version, needed)
        else:
            # One of them is enough to work with.
            yield Finding(title, "", needed, found.why, required=not one_is_here)
    for command in tools.BUILD_COMMANDS:
        here = shutil.which(command) is not None
        advice = "" if here else f"install {command}: Verilator compiles with it"
        yield Finding(command, "found" if here else "", "for Verilator", advice, required=False)
    yield from map(_package, _PACKAGE.findall((ROOT / "requirements.txt").read_text()))
    for command, option, purpose, package in _OPTIONAL:
        version = _version(command, option)
        advice = "" if version else f"for {purpose}: install {package}"
        yield Finding(command, version, "optional", advice, required=False)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    needed = ".".join(map(str, _NEEDED_PYTHON))
    old = sys.version_info < _NEEDED_PYTHON
    return Finding(
        "Python", version, f"{needed} or newer", f"install Python {needed}" if old else ""
    )


def _package(pin: tuple[str, str]) -> Finding:
    name, needed = pin
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = ""
    advice = "" if version == needed else "make distclean; the next make sets up .venv again"
    return Finding(name, version, needed, advice)


def _version(command: str, option: str) -> str:
    if shutil.which(command) is None:
        return ""
    answer = subprocess.run(
        [command, option], capture_output=True, text=True, errors="replace", check=False
    )
    number = re.search(r"\d+(?:\.\d+)+", answer.stdout + answer.stderr)
    return number[0] if number else "found"
