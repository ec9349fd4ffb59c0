"""Failures by what they have in common, each group with the smallest case that shows it.

Two jobs that failed in the same output have probably met the same fault; so have those that failed in
outputs that are wrong together in one smallest case. Where all of it is one group, the benches of
single modules that failed too say where the fault is.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flow import tools
from flow.benches import DEFAULT_BENCH
from flow.errors import UserError
from flow.explain import Minimal, Shown, find_minimal, replay_command, show_minimal
from flow.places import ROOT
from flow.regress.job import SUITE
from flow.regress.ledger import REGRESS, Entry, write_whole
from flow.run import Run
from flow.verdict import Word

ONLY_THIS_TEST = "only this test"


@dataclass(frozen=True)
class Explanation:
    """The smallest case of a group: `title` says how small it is, `lines` what happens in it.

    `commands` is how many it has, `kinds` are the outputs that are wrong in it, `diagram` is SVG, `case`
    a folder of the repository.
    """

    title: str
    commands: int
    lines: tuple[str, ...]
    kinds: tuple[str, ...]
    case: str
    replay: str
    diagram: str = ""


@dataclass(frozen=True)
class Group:
    """Failures that have `kinds` in common. `says` is what the first of them reported.

    `inside` are the failures of benches of single modules, where those tell where the fault is.
    """

    kinds: tuple[str, ...]
    entries: tuple[Entry, ...]
    says: str
    explanation: Explanation | None = None
    inside: tuple[Entry, ...] = ()

    @property
    def title(self) -> str:
        """What is wrong, in few words."""
        names = ", ".join(self.kinds)
        return f"wrong: {names}" if self.explanation else names


def group_failures(entries: Sequence[Entry], say: Callable[[str], None]) -> list[Group]:
    """All failures, in groups: those with a smallest case first, the largest before the others."""
    failed = [entry for entry in entries if not entry.passed]
    groups: list[Group] = []
    left = sorted((entry for entry in failed if _has_case(entry)), key=_effort)
    while left:
        first = left[0]
        say(f"looking for the smallest case of {first.job.name}")
        explanation = _explain(first, say)
        kinds = (*_kinds(first), *(explanation.kinds if explanation else ()))
        own = [entry for entry in left if entry is first or set(kinds) & set(_kinds(entry))]
        left = [entry for entry in left if entry not in own]
        group = Group(tuple(dict.fromkeys(kinds)), tuple(own), _says(first), explanation)
        groups = _joined(groups, group)
    by_title: dict[str, list[Entry]] = {}
    for entry in failed:
        if not _has_case(entry):
            by_title.setdefault(_title(entry), []).append(entry)
    others = [Group((title,), tuple(own), _says(own[0])) for title, own in by_title.items()]
    if len(groups) == 1:
        inside = [group for group in others if all(map(_is_inside, group.entries))]
        others = [group for group in others if group not in inside]
        found = tuple(entry for group in inside for entry in group.entries)
        groups = [replace(groups[0], inside=found)]
    return [
        *sorted(groups, key=lambda group: -len(group.entries)),
        *sorted(others, key=lambda group: -len(group.entries)),
    ]


def _joined(groups: Sequence[Group], new: Group) -> list[Group]:
    """The groups with a new one, which joins those that it has an output in common with.

    The smallest of their cases stays.
    """
    same = [new, *(group for group in groups if set(group.kinds) & set(new.kinds))]
    with_case = [group for group in same if group.explanation]
    best = min(with_case, key=lambda group: group.explanation.commands, default=new)
    kinds = dict.fromkeys([*best.kinds, *(kind for group in same for kind in group.kinds)])
    entries = tuple(entry for group in same for entry in group.entries)
    others = [group for group in groups if group not in same]
    return [*others, replace(best, kinds=tuple(kinds), entries=entries)]


def _kinds(entry: Entry) -> tuple[str, ...]:
    """The outputs that were wrong, as far as the player can see them."""
    kinds = [
        kind
        for name in entry.verdict.failed
        for kind in entry.tests.get(name, {}).get("failure_kinds", ())
        if kind != ONLY_THIS_TEST
    ]
    return tuple(dict.fromkeys(kinds))


def _has_case(entry: Entry) -> bool:
    tests = entry.tests
    return any(tests.get(name, {}).get("failed_case") for name in entry.verdict.failed)


def _effort(entry: Entry) -> tuple[bool, bool, int]:
    """What makes a search short and its case small, the best first.

    A simulator that builds in a second, a response that was wrong by itself, little that was driven.
    """
    driven = sum(
        test.get("commands_sent", 0) + test.get("fills", 0) for test in entry.tests.values()
    )
    responds = all(kind.startswith("rsp_") for kind in _kinds(entry)[:1])
    return entry.job.simulator != "icarus", not responds, driven


def _is_inside(entry: Entry) -> bool:
    """Whether it is a bench of a module within the unit that has found something."""
    inside = entry.job.bench not in (DEFAULT_BENCH, "player", SUITE)
    return inside and entry.verdict.word is Word.FAILED


def _title(entry: Entry) -> str:
    word = entry.verdict.word
    return f"{entry.job.bench}: {word}" if word in (Word.FAILED, Word.UNCHECKED) else str(word)


def _says(entry: Entry) -> str:
    """The first mismatch, or else the first problem."""
    reports = [
        str(report)
        for name in entry.verdict.failed
        for report in entry.tests.get(name, {}).get("failures", ())
    ]
    return reports[0] if reports else entry.verdict.problems[0].text


def _explain(entry: Entry, say: Callable[[str], None]) -> Explanation | None:
    """The smallest case of a failure; looked for once, and kept beside the ledger."""
    kept = REGRESS / "explained" / f"{Path(entry.folder).name}.json"
    try:
        values = json.loads(kept.read_text(encoding="utf-8"))
        if (ROOT / values["case"]).exists():
            return Explanation(
                **{**values, "lines": tuple(values["lines"]), "kinds": tuple(values["kinds"])}
            )
    except (OSError, ValueError, KeyError, TypeError):
        pass
    try:
        found = _look_for(entry, say)
    except UserError as error:
        say(f"the smallest case of {entry.job.name} was not found: {error}")
        return None
    if found is not None:
        kept.parent.mkdir(exist_ok=True)
        write_whole(kept, json.dumps(vars(found)))
    return found


def _look_for(entry: Entry, say: Callable[[str], None]) -> Explanation | None:
    folder, settings = Path(entry.folder), entry.job.settings()
    failed = Run(
        settings,
        tools.require(settings.simulator),
        folder,
        folder / "sim.log",
        entry.verdict,
        entry.seconds,
        dump=None,
        view=None,
    )
    minimal = find_minimal(failed, say)
    if minimal is None:
        return None
    shown = show_minimal(minimal, settings.simulator, say)
    return _explanation(minimal, shown, settings.simulator)


def _explanation(minimal: Minimal, shown: Shown, simulator: str) -> Explanation:
    diagram = shown.waves.diagram.read_text(encoding="utf-8") if shown.waves else ""
    return Explanation(
        title=minimal.title,
        commands=minimal.facts["commands"],
        lines=shown.words,
        kinds=shown.kinds,
        case=str(minimal.folder.relative_to(ROOT)),
        replay=replay_command(minimal.folder, simulator),
        diagram=diagram[diagram.find("<svg") :] if diagram else "",
    )
