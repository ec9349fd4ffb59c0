"""Code coverage from Verilator's own files: which points of the design have been executed.

A point is a line, a branch, a part of an expression or an edge of one bit, in a file of the design.
Instances of a module count together. The points of a build are kept once; a job keeps a bit for each.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from flow.places import ROOT
from flow.regress.ledger import REGRESS, write_whole

POINTS = REGRESS / "points"
DESIGN = ROOT / "rtl"
KINDS = ("line", "branch", "expr", "toggle")

_HEAD = "# SystemC::Coverage-3"
_RECORD = re.compile(r"^C '(.*)' (\d+)$")
_FIELD = re.compile("\x01([^\x02]*)\x02([^\x01]*)")


@dataclass(frozen=True, order=True)
class Point:
    """One thing to be executed: `what` is Verilator's own text for it.

    `lines` are those of a block that is executed as one, such as `46-47,50`; else it is empty.
    """

    file: str
    line: int
    column: int
    kind: str
    what: str
    lines: str = ""

    def all_lines(self) -> list[int]:
        """The number of every line that is executed with this point."""
        if not self.lines:
            return [self.line]
        ends = [part.split("-") for part in self.lines.split(",")]
        return [
            line
            for first, *last in ends
            for line in range(int(first), int((last or [first])[0]) + 1)
        ]


def read_coverage(path: Path) -> dict[str, str]:
    """What a run has covered, for its entry in the ledger; its points are kept beside that.

    Raises:
        ValueError: the file is cut or is none of Verilator's.
    """
    hits = _read(path)
    points = sorted(hits)
    text = json.dumps([[p.file, p.line, p.column, p.kind, p.what, p.lines] for p in points])
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    POINTS.mkdir(parents=True, exist_ok=True)
    if not (kept := POINTS / f"{digest}.json").exists():
        write_whole(kept, text)
    covered = np.packbits(np.array([hits[point] > 0 for point in points], np.bool_))
    return {"points": digest, "covered": base64.b64encode(covered.tobytes()).decode()}


@lru_cache(maxsize=64)
def points_of(digest: str) -> tuple[Point, ...]:
    """The points of a build, which an entry names by their digest."""
    text = (POINTS / f"{digest}.json").read_text(encoding="utf-8")
    return tuple(Point(*values) for values in json.loads(text))


def covered(coverage: Mapping[str, str]) -> NDArray[np.bool_]:
    """For each point of the build of a job: whether the job has executed it."""
    packed = np.frombuffer(base64.b64decode(coverage["covered"]), np.uint8)
    return np.unpackbits(packed, count=len(points_of(coverage["points"]))).astype(np.bool_)


def merge(coverages: Iterable[Mapping[str, str]]) -> dict[Point, int]:
    """Every point of any of the builds, and how many of the jobs have executed it."""
    by_build: dict[str, NDArray[np.int64]] = {}
    for coverage in coverages:
        own = covered(coverage).astype(np.int64)
        by_build[coverage["points"]] = by_build.get(coverage["points"], 0) + own
    merged: dict[Point, int] = {}
    for digest, counts in by_build.items():
        for point, count in zip(points_of(digest), counts.tolist(), strict=True):
            merged[point] = merged.get(point, 0) + count
    return merged


def _read(path: Path) -> dict[Point, int]:
    """How often each point was executed, over all instances."""
    hits: dict[Point, int] = {}
    with path.open(encoding="utf-8") as file:
        if file.readline().rstrip() != _HEAD:
            raise ValueError(f"its first line is not {_HEAD}")
        for number, line in enumerate(file, 2):
            record = _RECORD.match(line)
            if record is None:
                raise ValueError(f"line {number} is no point")
            fields = dict(_FIELD.findall(record[1]))
            kind = fields["page"].partition("/")[0].removeprefix("v_")
            point = Point(
                Path(fields["f"]).name,
                int(fields["l"]),
                int(fields["n"]),
                kind,
                fields["o"],
                fields.get("S", ""),
            )
            # The Verilog of the bench is no part of the design.
            if (DESIGN / point.file).exists():
                hits[point] = hits.get(point, 0) + int(record[2])
    if not hits:
        raise ValueError("it has no point")
    return hits
