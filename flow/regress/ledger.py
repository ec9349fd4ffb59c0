"""The ledger: one file for each verdict, written whole or not at all."""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flow.places import ROOT, ensure_folder
from flow.regress.job import Job
from flow.verdict import Problem, Verdict, Word

REGRESS = ROOT / "build" / "regress"
RUNS = REGRESS / "runs"

# What says something of the machine rather than of the design: worth another try.
_TRANSIENT = {Word.CRASHED, Word.DAMAGED, Word.TIMEOUT, Word.STALE, Word.LOST, Word.NO_BUILD}


@dataclass(frozen=True)
class Entry:
    """What came of a job. `record` is that of the bench, with a table for each test.

    `fingerprint` is that of the sources it ran on, `started` is in seconds since 1970, `folder` keeps
    the files of a job that has not passed, `coverage` the code that Verilator saw executed.
    """

    job: Job
    fingerprint: str
    verdict: Verdict
    started: float
    seconds: float
    build_seconds: float = 0.0
    worker: str = ""
    tool: str = ""
    folder: str = ""
    coverage: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the job passed."""
        return self.verdict.passed

    @property
    def stands(self) -> bool:
        """Whether another try on the same sources could give nothing else."""
        return self.verdict.word not in _TRANSIENT

    @property
    def tests(self) -> Mapping[str, Any]:
        """The record of each test."""
        return self.verdict.record.get("tests", {})

    @property
    def commands_checked(self) -> int:
        """How many commands were checked."""
        return sum(test.get("commands_checked", 0) for test in self.tests.values())

    def to_json(self) -> dict[str, Any]:
        """The entry as JSON has it."""
        return {
            "job": self.job.to_json(),
            "fingerprint": self.fingerprint,
            "problems": [[str(each.word), each.text] for each in self.verdict.problems],
            "ok": list(self.verdict.ok),
            "failed": list(self.verdict.failed),
            "skipped": list(self.verdict.skipped),
            "tests": self.tests,
            "started": self.started,
            "seconds": self.seconds,
            "build_seconds": self.build_seconds,
            "worker": self.worker,
            "tool": self.tool,
            "folder": self.folder,
            "coverage": dict(self.coverage),
        }

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> "Entry":
        """The entry that `to_json` gave. Raises KeyError, ValueError or TypeError for another."""
        verdict = Verdict(
            tuple(Problem(Word(word), text) for word, text in values["problems"]),
            tuple(values["ok"]),
            tuple(values["failed"]),
            tuple(values["skipped"]),
            {"tests": values["tests"]},
        )
        own = ("fingerprint", "started", "seconds", "build_seconds", "worker", "tool", "folder")
        return Entry(
            job=Job.from_json(values["job"]),
            verdict=verdict,
            coverage=values["coverage"],
            **{name: values[name] for name in own},
        )


class Ledger:
    """The verdicts of all jobs so far, in a folder that survives whatever ends a regression."""

    def __init__(self) -> None:
        ensure_folder("build")
        self._folder = REGRESS / "verdicts"
        self._folder.mkdir(parents=True, exist_ok=True)
        RUNS.mkdir(exist_ok=True)

    def read(self, job: Job) -> Entry | None:
        """The verdict on a job, on whatever sources; None where there is none that can be read."""
        try:
            values = json.loads(self._path(job).read_text(encoding="utf-8"))
            entry = Entry.from_json(values)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        # A job of the same name in a table that has changed since is another one.
        return entry if entry.job == job else None

    def write(self, entry: Entry) -> None:
        """Keep a verdict."""
        write_whole(self._path(entry.job), json.dumps(entry.to_json()))

    def _path(self, job: Job) -> Path:
        return self._folder / f"{job.name}.json"


def write_whole(path: Path, text: str) -> None:
    """Write a file in one step: whoever reads it finds the old one or the new one."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}-", delete=False
    ) as file:
        file.write(text)
        file.flush()
        # A rename may be on the disk before what it names.
        os.fsync(file.fileno())
    # A temporary file is its owner's alone.
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
