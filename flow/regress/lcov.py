"""Code coverage in the format of lcov, which editors, CI systems and genhtml read.

A line counts as executed as often as there are jobs that have executed it. Branches, parts of
expressions and toggles are branches there, which is what the format has for them.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from flow.regress.code_coverage import DESIGN, Point
from flow.regress.ledger import write_whole


def write_lcov(points: Mapping[Point, int], path: Path) -> None:
    """Write how many jobs have executed each of `points`."""
    by_file: dict[str, list[tuple[Point, int]]] = defaultdict(list)
    for point, count in points.items():
        by_file[point.file].append((point, count))
    records = [_record(name, own) for name, own in sorted(by_file.items())]
    write_whole(path, "".join(records))


def _record(name: str, points: list[tuple[Point, int]]) -> str:
    executed: dict[int, int] = {}
    branches: dict[int, list[int]] = defaultdict(list)
    for point, count in sorted(points):
        if point.kind in ("line", "branch"):
            for line in point.all_lines():
                executed[line] = max(executed.get(line, 0), count)
        if point.kind != "line":
            branches[point.line].append(count)
    lines = [f"SF:{DESIGN / name}"]
    for line, counts in sorted(branches.items()):
        executed.setdefault(line, max(counts))
        lines += [f"BRDA:{line},0,{number},{count}" for number, count in enumerate(counts)]
    every = [count for counts in branches.values() for count in counts]
    lines += [f"BRF:{len(every)}", f"BRH:{sum(map(bool, every))}"]
    lines += [f"DA:{line},{count}" for line, count in sorted(executed.items())]
    lines += [f"LF:{len(executed)}", f"LH:{sum(map(bool, executed.values()))}", "end_of_record", ""]
    return "\n".join(lines)
