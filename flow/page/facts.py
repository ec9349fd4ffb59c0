"""What a report is about: the sources, the tools and the machine."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from flow.places import ROOT
from flow.regress.ledger import Entry

_PACKAGES = ("cocotb", "cocotb-bus", "numpy", "pytest")


@dataclass(frozen=True)
class Facts:
    """The `commit` is "unknown" without git; `changes` are files that differ from it."""

    commit: str
    changes: tuple[str, ...]
    tools: tuple[str, ...]
    machine: str


def gather(entries: Sequence[Entry]) -> Facts:
    """The facts for a report of these jobs."""
    tools = sorted({entry.tool for entry in entries if entry.tool})
    tools += [f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES]
    return Facts(
        commit=_git("rev-parse", "--short=12", "HEAD") or "unknown",
        changes=tuple(line[3:] for line in _git("status", "--porcelain").splitlines()),
        tools=tuple(tools),
        machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    )


def _git(*arguments: str) -> str:
    if shutil.which("git") is None:
        return ""
    answer = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return answer.stdout.strip("\n") if answer.returncode == 0 else ""
