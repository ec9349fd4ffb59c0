"""A clone of this repository, mostly with a stand-in for the design, to break things in."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAND_IN = Path(__file__).resolve().parent / "fixtures" / "stand_in"


@dataclass(frozen=True)
class Clone:
    """The clone at `path`; `environment` is what its commands get, without the CI of this run."""

    path: Path
    environment: dict[str, str]

    def command(self, *arguments: str) -> list[str]:
        """The command line of the flow for a target and its variables."""
        return [sys.executable, "-m", "flow", *arguments]

    def flow(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the flow in the clone, as the Makefile does once everything is set up."""
        return self._run(self.command(*arguments), environment)

    def make(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run make in the clone."""
        return self._run(["make", *arguments], environment)

    def runs(self) -> list[Path]:
        """The folders of all runs so far."""
        return sorted((self.path / "build" / "runs").glob("*"))

    def replace(self, file: str, old: str, new: str) -> None:
        """Change the text of a file of the clone, which must have `old` in it."""
        text = (self.path / file).read_text(encoding="utf-8")
        assert old in text
        (self.path / file).write_text(text.replace(old, new), encoding="utf-8")

    def _run(
        self, command: list[str], environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.path,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


def make_clone(path: Path, design: Path = STAND_IN) -> Clone:
    """Make a clone at `path` that shares the tools in this repository's .venv.

    `design` has the folders rtl and tb.
    """
    path.mkdir(parents=True)
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, path)
    # The flow reads cases with the model, which is the same beside every design.
    folders = [ROOT / "flow", ROOT / "model", *(design / name for name in ("rtl", "tb"))]
    for folder in folders:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(folder, path / folder.name, ignore=ignore)
    shutil.copytree(ROOT / "tb" / "hdl", path / "tb" / "hdl", dirs_exist_ok=True)
    (path / ".venv").symlink_to(ROOT / ".venv")
    drop = ("CI", "SIM", "WAVES", "PYTHONPATH", "MAKEFLAGS", "MAKELEVEL", "MAKE_VARIABLES")
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in drop and not name.startswith(("COCOTB_", "PYTEST_"))
    }
    return Clone(path, environment)
