"""The record of a run: what each test did, for the runner's verdict and summary."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from model import Case, write_case
from tb.coverage import Observed, Sample, merge, sample_all
from tb.coverage.pace import merge_pace, pace_of


@dataclass
class TestRecord:
    """What one test did. A test passed only if all that it sent was checked and nothing is left."""

    commands_sent: int = 0
    commands_checked: int = 0
    responses_left: int = 0
    fills: int = 0
    cycles: int = 0
    ops: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    trace_digest: str = ""
    cycles_digest: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    failure_kinds: list[str] = field(default_factory=list)
    proves: list[str] = field(default_factory=list)
    coverage: Sample = field(default_factory=dict)
    pace: dict[str, object] = field(default_factory=dict)
    failed_case: dict[str, object] = field(default_factory=dict)
    shrunk: dict[str, object] = field(default_factory=dict)
    waves: dict[str, object] = field(default_factory=dict)

    def observe(self, observed: Observed) -> None:
        """Add what a test, or a part of it, has met and how fast the unit was."""
        self.coverage = merge([self.coverage, sample_all(observed)])
        self.pace = merge_pace([self.pace, pace_of(observed)])

    def keep_failure(self, name: str, case: Case, kinds: Sequence[str], cycle: int) -> None:
        """Keep what was driven as a case, from which a smaller one can be found.

        `kinds` are those of what was wrong, `cycle` that of the first of it, counted from the first
        cycle without reset of the case.
        """
        folder = Path(f"failed-{name}")
        write_case(folder, case)
        self.failed_case = {"folder": str(folder.resolve()), "kinds": list(kinds), "cycle": cycle}


def digest_of_cycles(
    filled: Sequence[int], accepted: Sequence[int], answered: Sequence[int]
) -> str:
    """A digest of the cycles of all transfers, counted from the first one without reset."""
    digest = hashlib.blake2b(digest_size=8)
    for cycles in (filled, accepted, answered):
        digest.update(np.array(cycles, "<i8").tobytes())
    return digest.hexdigest()


def write_record(test: str, record: TestRecord) -> None:
    """Add the record of `test` to the file that UBLOAD_RECORD names, whole or not at all."""
    path = Path(os.environ["UBLOAD_RECORD"])
    content = json.loads(path.read_text()) if path.exists() else {"tests": {}}
    content["tests"][test] = asdict(record)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=1))
    partial.replace(path)
