"""What a failed run is followed by: the smallest case that still fails, in words and in waves."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flow import tools
from flow.errors import UserError
from flow.places import CASES, ensure_folder
from flow.replay import PLAYER, CaseWaves, replay_with_waves
from flow.report import report
from flow.run import Run, run


@dataclass(frozen=True)
class Minimal:
    """The smallest case that still fails, in `folder`; `facts` are those of the search for it.

    `words` say what happens in it.
    """

    folder: Path
    facts: Mapping[str, Any]
    words: tuple[str, ...]

    @property
    def title(self) -> str:
        """How small it is, and what it took."""
        facts = self.facts
        stopped = ", stopped by its limit of time" if facts["out_of_time"] else ""
        return f"{facts['to']}, of {facts['from']} ({facts['plays']} plays, {facts['seconds']:.1f} s{stopped})"


@dataclass(frozen=True)
class Shown:
    """A smallest case played once more by itself: what is wrong in it, in words, kinds and waves."""

    words: tuple[str, ...]
    kinds: tuple[str, ...]
    passed: bool
    waves: CaseWaves | None


def find_minimal(failed: Run, say: Callable[[str], None]) -> Minimal | None:
    """The smallest case that fails as the first failed test of a run did; None where there is none.

    Raises:
        UserError: the search itself went wrong.
    """
    kept = _failed_case(failed)
    if kept is None:
        return None
    record = _search(failed, kept, say)
    if not (found := record["shrunk"]):
        return None
    folder = _keep(Path(found["folder"]), failed.folder.name)
    return Minimal(folder, found, tuple(record["lines"]))


def show_minimal(minimal: Minimal, simulator: str, say: Callable[[str], None]) -> Shown:
    """Play the smallest case of a failure on `simulator` by itself, with waves.

    Raises:
        UserError: it cannot be played.
    """
    # From one seed both simulators give the same waves, and Icarus builds them in a second.
    first = "icarus" if isinstance(tools.find("icarus"), tools.Simulator) else simulator
    played, waves = replay_with_waves(minimal.folder, first, {}, say)
    if played.verdict.passed and first != simulator:
        played, waves = replay_with_waves(minimal.folder, simulator, {}, say)
    record = played.record["tests"].get("replay", {})
    words = minimal.words if played.verdict.passed or not record else tuple(record["lines"][1:])
    kinds = (minimal.facts["kind"], *record.get("failure_kinds", ()))
    return Shown(words, tuple(dict.fromkeys(kinds)), played.verdict.passed, waves)


def explain(failed: Run, say: Callable[[str], None]) -> Iterator[str]:
    """Lines that say what the smallest case is, what happens in it, and what to do with it.

    Where the search itself goes wrong, they say so: the verdict on the run stands all the same.
    """
    try:
        yield from _explain(failed, say)
    except UserError as error:
        yield from str(error).splitlines()


def replay_command(folder: Path, simulator: str) -> str:
    """The line that plays a case again."""
    return f"make replay CASE={os.path.relpath(folder)} SIM={simulator}"


def _explain(failed: Run, say: Callable[[str], None]) -> Iterator[str]:
    minimal = find_minimal(failed, say)
    if minimal is None:
        if (kept := _failed_case(failed)) is not None:
            yield "no smaller case: played alone, the unit does not fail in this way"
            yield f"as it failed: {kept['folder']}"
        return
    yield f"minimal case: {minimal.title}"
    simulator = failed.settings.simulator
    shown = show_minimal(minimal, simulator, say)
    if shown.passed:
        yield "  played in a new simulation, it passes: it depends on what a reset does not clear"
    yield from (f"  {line}" for line in shown.words)
    yield f"  replay:  {replay_command(minimal.folder, simulator)}"
    if shown.waves:
        yield f"  waves:   make waves CASE={os.path.relpath(minimal.folder)}"
        yield f"  diagram: {os.path.relpath(shown.waves.diagram)}"


def _failed_case(failed: Run) -> Mapping[str, Any] | None:
    """What the first failed test has left, if it can be played by itself."""
    tests = failed.record.get("tests", {})
    kept = [tests[name].get("failed_case") for name in failed.verdict.failed if name in tests]
    return None if failed.settings.netlist else next(filter(None, kept), None)


def _search(failed: Run, kept: Mapping[str, Any], say: Callable[[str], None]) -> Mapping[str, Any]:
    settings = replace(
        failed.settings,
        bench=replace(PLAYER, rtl=failed.settings.bench.rtl),
        tests=("shrink",),
        test_filter="",
        waves=False,
        coverage=False,
        cases=(),
        failed_case=kept,
        limit=0.0,
    )
    search = run(settings, say=say)
    if not search.verdict.passed:
        raise UserError(f"the search for a smaller case went wrong\n{report(search)}")
    return search.record["tests"]["shrink"]


def _keep(found: Path, name: str) -> Path:
    """The case under a short name of its own, whole or not at all."""
    ensure_folder("build")
    CASES.mkdir(exist_ok=True)
    folder, partial = CASES / name, CASES / f".{name}"
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(found, partial)
    partial.rename(folder)
    return folder
