"""`make faults`: faults planted in the design, one at a time, and the smallest case that shows each."""

import functools
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from flow import tools
from flow.errors import UserError
from flow.explain import find_minimal
from flow.places import ROOT, ensure_folder
from flow.regress.job import Job
from flow.regress.ledger import write_whole
from flow.regress.sources import fingerprint
from flow.report import report
from flow.run import Run, run
from flow.variables import sim_settings

FAULTS = ROOT / "tests" / "faults"
CORPUS = ROOT / "tests" / "corpus"
TABLE = ROOT / "docs" / "faults.md"
SMALL = {"OPS": "300", "UB_BYTES": "2048"}
SHRINKS_ON = "icarus"  # it builds a changed design in a second
BANK_ACCESS = "bank access"  # as the bench names it: what follows from a wrong one says more

_HEAD = """\
# Planted faults and their smallest cases

Each of these faults is planted in a copy of the design ([tests/faults](../tests/faults)), after a kind of fault that
users of other designs have reported. `make sim` finds it, with `{small}` and, where a fault
needs more, the variables beside it; the columns of the simulators say what was wrong first. On {shrinks_on} the player then
shrinks what has failed. "Found" is how much had been driven when the run ended, the 64 fills of the whole buffer among it; "left" is the
smallest case that fails in the same output. The smallest cases lie in [tests/corpus](../tests/corpus) and are played
first in `make test`.

The table is written by `make faults`, from {simulators}. What it has measured it keeps, and does not repeat before
the patch, the design, the bench or the model changes. `make test` plays every smallest case on its fault, and finds every
sixth fault, on {shrinks_on}.

{count} faults; the median smallest case has {median:g} command{plural}, the largest {largest}; the search took {time:.1f} s
in the median, {longest:.1f} s at most.

| fault | modelled on | {columns} | found | left | plays | s |
|---|---|{rules}---|---|---:|---:|
"""

_MISCHECKED = """
The check of the parameters works at elaboration alone: there is no case to be found. With each of these faults in it
another thing comes of the value beside it, in Icarus, Verilator and Yosys ([test](../tests/test_parameters.py)).

| fault | modelled on |
|---|---|
"""


@dataclass(frozen=True)
class Fault:
    """A planted fault: what is wrong, the kind of public report that it follows, how it is found.

    `found_by` are variables of make sim beside those of `SMALL`.
    """

    patch: Path
    kind: str
    modelled_on: str
    found_by: str

    @property
    def name(self) -> str:
        """A name that no other fault has, that of its smallest case too."""
        return self.patch.stem

    @property
    def variables(self) -> dict[str, str]:
        """The variables of make sim with which it is found."""
        return SMALL | dict(word.split("=", 1) for word in self.found_by.split())


@dataclass(frozen=True)
class Found:
    """What came of a fault on a simulator: what was wrong first.

    `search` has the facts of the search for the smallest case, where there was one.
    """

    fingerprint: str
    wrong: str
    search: Mapping[str, Any] = field(default_factory=dict)


def read_faults() -> list[Fault]:
    """All faults, by name.

    Raises:
        UserError: a patch does not say what it plants.
    """
    return [read_fault(patch) for patch in sorted(FAULTS.glob("*.patch"))]


def read_fault(patch: Path) -> Fault:
    """What the lines at the top of a patch say.

    Raises:
        UserError: one of them is missing.
    """
    text = patch.read_text(encoding="utf-8")
    said = dict(re.findall(r"^(kind|modelled on|found by): (.+)$", text, re.MULTILINE))
    for name in ("kind", "modelled on"):
        if name not in said:
            raise UserError(f"{patch.name} has no line `{name}: ...` at its top")
    return Fault(patch, said["kind"], said["modelled on"], said.get("found by", ""))


def measure_faults(simulator: str, say: Callable[[str], None]) -> None:
    """Plant every fault whose result does not stand, find it, and on Icarus its smallest case.

    Raises:
        UserError: a fault was not found, or no smaller case of it.
    """
    faults = read_faults()
    for number, fault in enumerate(faults, 1):
        at = f"{number} of {len(faults)}, {fault.name} on {simulator}"
        found = _kept(fault, simulator)
        if found is not None:
            say(f"{at}: as before")
            continue
        found = _measure(fault, simulator, say)
        write_whole(_ledger(simulator) / f"{fault.name}.json", json.dumps(asdict(found)))
        small = f"; {found.search['to']}, of {found.search['from']}" if found.search else ""
        say(f"{at}: {found.wrong}{small}")


def write_table() -> Path:
    """Write the table of all faults into the documents.

    Raises:
        UserError: a smallest case is missing, or stands no more.
    """
    faults = read_faults()
    found = {name: [_kept(fault, name) for fault in faults] for name in tools.SIMULATORS}
    if missing := found[SHRINKS_ON].count(None):
        raise UserError(
            f"no table: {missing} of {len(faults)} faults have no smallest case from these "
            f"sources: make faults SIM={SHRINKS_ON}"
        )
    searches = [each.search for each in found[SHRINKS_ON] if each]
    counts = [search["commands"] for search in searches]
    seconds = [search["seconds"] for search in searches]
    titles = [
        f"{tools.require(name).title} ({len(each) - each.count(None)} of the faults)"
        for name, each in found.items()
    ]
    median = statistics.median(counts)
    text = _HEAD.format(
        shrinks_on=SHRINKS_ON.capitalize(),
        simulators=" and ".join(titles),
        small=" ".join(f"{name}={value}" for name, value in SMALL.items()),
        columns=" | ".join(name.capitalize() for name in found),
        rules="---|" * len(found),
        count=len(faults),
        median=median,
        plural="" if median == 1 else "s",
        largest=max(counts),
        time=statistics.median(seconds),
        longest=max(seconds),
    )
    for number, fault in enumerate(faults):
        wrong = [each[number].wrong if each[number] else "not run" for each in found.values()]
        text += _row(fault, wrong, searches[number])
    text += _MISCHECKED
    for patch in sorted((FAULTS / "parameter_check").glob("*.patch")):
        fault = read_fault(patch)
        text += f"| {fault.kind} `{fault.found_by}` | {_sentence(fault.modelled_on)} |\n"
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


def _row(fault: Fault, wrong: Sequence[str], search: Mapping[str, Any]) -> str:
    variables = f" `{fault.found_by}`" if fault.found_by else ""
    said = [f"{fault.kind}{variables}", _sentence(fault.modelled_on)]
    cells = [*said, *wrong, search["from"], search["to"]]
    return f"| {' | '.join(cells)} | {search['plays']} | {search['seconds']:.1f} |\n"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _measure(fault: Fault, simulator: str, say: Callable[[str], None]) -> Found:
    """Find one fault; on Icarus leave its smallest case in the corpus."""
    begun = _fingerprint(fault, simulator)
    settings = sim_settings({"SIM": simulator, **fault.variables}, {})
    search: Mapping[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="ubload-") as name:
        rtl = planted(fault.patch, Path(name))
        failed = run(replace(settings, bench=replace(settings.bench, rtl=rtl)))
        if failed.verdict.passed:
            raise UserError(f"{fault.name}: nothing found\n{report(failed)}")
        if simulator == SHRINKS_ON:
            minimal = find_minimal(failed, say)
            if minimal is None:
                raise UserError(f"{fault.name}: no smaller case\n{report(failed)}")
            shutil.rmtree(CORPUS / fault.name, ignore_errors=True)
            shutil.copytree(minimal.folder, CORPUS / fault.name)
            search = minimal.facts
    return Found(begun, _first_wrong(failed), search)


def _first_wrong(failed: Run) -> str:
    """What the checks found wrong first; the access of a bank last, as in the search for a case.

    Raises:
        UserError: no check has failed: the run went wrong in another way.
    """
    tests = failed.record.get("tests", {})
    kinds = [kind for name in failed.verdict.failed for kind in tests[name]["failure_kinds"]]
    if not kinds:
        raise UserError(f"no check has found the fault\n{report(failed)}")
    return min(kinds, key=lambda kind: kind == BANK_ACCESS)


def _ledger(simulator: str) -> Path:
    folder = ensure_folder("build") / "faults" / simulator
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _kept(fault: Fault, simulator: str) -> Found | None:
    """The result of an earlier run, where nothing that it depends on has changed since."""
    try:
        text = (_ledger(simulator) / f"{fault.name}.json").read_text(encoding="utf-8")
        found = Found(**json.loads(text))
    except (OSError, ValueError, TypeError):
        return None
    if simulator == SHRINKS_ON and not (CORPUS / fault.name).is_dir():
        return None
    return found if found.fingerprint == _fingerprint(fault, simulator) else None


def _fingerprint(fault: Fault, simulator: str) -> str:
    """A digest of the fault and of all that a run of the unit, and one of the player, is made of."""
    text = fault.patch.read_text(encoding="utf-8")
    # How it is put in words changes nothing.
    own = f"{fault.variables} {text[text.index('--- ') :]}"
    return hashlib.sha256(f"{own} {_sources(simulator)}".encode()).hexdigest()[:16]


@functools.cache  # of the sources as the run began: what changes meanwhile makes its results stale
def _sources(simulator: str) -> str:
    return " ".join(fingerprint(Job(name, "", simulator)) for name in ("ub_load_unit", "player"))
