"""`make faults`: faults planted in the design, one at a time, and the smallest case that shows each."""

import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flow.errors import UserError
from flow.explain import Minimal, find_minimal
from flow.places import ROOT
from flow.report import report
from flow.run import run
from flow.variables import sim_settings

FAULTS = ROOT / "tests" / "faults"
TABLE = ROOT / "docs" / "faults.md"
SMALL = {"OPS": "300", "UB_BYTES": "2048"}

_HEAD = """\
# Planted faults and their smallest cases

Each of these faults is planted in a copy of the design ([tests/faults](../tests/faults)); `make sim` finds it,
and the player then shrinks what has failed. The table is written by `make faults`, on {simulator}, with
`{small}` and, where a fault needs more, the variables beside it. "Found" is how much had been driven when the run
ended, the 64 fills of the whole buffer among it; "left" is the smallest case that fails in the same output.
The smallest cases lie in [tests/corpus](../tests/corpus) and are played first in `make test`.

{count} faults; the median smallest case has {median:g} command{plural}, the largest {largest}; the search took {time:.1f} s
in the median, {longest:.1f} s at most.

| fault | wrong | found | left | plays | s |
|---|---|---|---|---:|---:|
"""


@dataclass(frozen=True)
class Found:
    """A planted fault, by name and in words, and the smallest case that shows it."""

    name: str
    kind: str
    variables: str
    minimal: Minimal

    @property
    def facts(self) -> Mapping[str, Any]:
        """Those of the search."""
        return self.minimal.facts


def measure_faults(simulator: str, say: Callable[[str], None]) -> list[Found]:
    """Plant every fault, find it, and find its smallest case.

    Raises:
        UserError: a fault was not found, or no smaller case of it.
    """
    found = []
    for patch in sorted(FAULTS.glob("*.patch")):
        found.append(_measure(patch, simulator, say))
        facts = found[-1].facts
        say(f"{patch.stem}: {facts['kind']}; {facts['to']}, of {facts['from']}")
    return found


def write_table(found: list[Found], simulator: str) -> Path:
    """Write the table of all of them into the documents."""
    counts = [each.facts["commands"] for each in found]
    seconds = [each.facts["seconds"] for each in found]
    median = statistics.median(counts)
    text = _HEAD.format(
        simulator=simulator,
        small=" ".join(f"{name}={value}" for name, value in SMALL.items()),
        count=len(found),
        median=median,
        plural="" if median == 1 else "s",
        largest=max(counts),
        time=statistics.median(seconds),
        longest=max(seconds),
    )
    for each in found:
        facts = each.facts
        text += (
            f"| {each.kind}{f' `{each.variables}`' if each.variables else ''} | {facts['kind']} | "
            f"{facts['from']} | {facts['to']} | {facts['plays']} | {facts['seconds']:.1f} |\n"
        )
    TABLE.write_text(text, encoding="utf-8")
    return TABLE


def planted(patch: Path, folder: Path) -> Path:
    """A copy of the design in `folder`, with the fault in it.

    Raises:
        UserError: the patch does not apply any more.
    """
    shutil.copytree(ROOT / "rtl", folder / "rtl")
    result = subprocess.run(
        ["git", "apply", str(patch)],
        cwd=folder,
        # Inside another repository, git would leave out what is not that one's.
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise UserError(f"{patch.name} does not apply any more: {result.stderr.strip()}")
    return folder / "rtl"


def in_words(patch: Path) -> tuple[str, str]:
    """What kind of fault a patch plants, and the variables of make sim with which it is found."""
    text = patch.read_text(encoding="utf-8")
    kind = re.search(r"^kind: (.*)$", text, re.MULTILINE)
    variables = re.search(r"^found by: (.*)$", text, re.MULTILINE)
    return kind[1] if kind else patch.stem, variables[1] if variables else ""


def _measure(patch: Path, simulator: str, say: Callable[[str], None]) -> Found:
    kind, variables = in_words(patch)
    given = dict(word.split("=", 1) for word in variables.split())
    settings = sim_settings({"SIM": simulator, **SMALL, **given}, {})
    with tempfile.TemporaryDirectory(prefix="ubload-") as name:
        rtl = planted(patch, Path(name))
        failed = run(replace(settings, bench=replace(settings.bench, rtl=rtl)))
        if failed.verdict.passed:
            raise UserError(f"{patch.name}: nothing found\n{report(failed)}")
        minimal = find_minimal(failed, say)
    if minimal is None:
        raise UserError(f"{patch.name}: no smaller case\n{report(failed)}")
    return Found(patch.stem, kind, variables, minimal)
