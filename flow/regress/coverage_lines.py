"""`make coverage`: what a regression has covered, on a terminal."""

from collections.abc import Iterator

from flow.page.coverage import Coverage
from flow.regress.code_coverage import KINDS


def coverage_lines(coverage: Coverage) -> Iterator[str]:
    """A table by file, and a line for each place where something is missing."""
    if coverage.files:
        yield f"{'':22}" + "".join(f"{kind:>16}" for kind in KINDS)
    for file in coverage.files:
        counts = [f"{hit} / {whole}" if whole else "" for hit, whole in file.counts.values()]
        yield f"{file.name:22}" + "".join(f"{count:>16}" for count in counts)
    for file in coverage.files:
        for line in file.missing:
            yield f"missing: rtl/{file.name}:{line.number}: {line.what}"
    for constant, count in coverage.unreachable.items():
        yield (
            f"out of reach: {count} toggles of {constant.module}'s {constant.title}: "
            f"{constant.reason}; {constant.proof}"
        )
    for name, group in coverage.groups.items():
        for bin_name, hits in group["bins"].items():
            if not hits:
                yield f"missing: bin of {name}: {bin_name}"
    for name, reasons in coverage.out_of_reach.items():
        for reason, names in reasons.items():
            yield f"out of reach: {len(names)} bins of {name}: {reason}"
    bins, points = reached(coverage)
    yield f"{bins:,} of {coverage.bins:,} bins, {points:,} of {coverage.points:,} points of the code"


def is_complete(coverage: Coverage) -> bool:
    """Whether nothing that can be reached is missing."""
    return reached(coverage) == (coverage.bins, coverage.points)


def reached(coverage: Coverage) -> tuple[int, int]:
    """How many bins and how many points of the code all jobs together have met."""
    last = coverage.gains[-1] if coverage.gains else None
    return (last.bins, last.points) if last else (0, 0)
