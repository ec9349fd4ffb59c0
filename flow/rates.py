"""`make rates`: commands per cycle of fixed strides and random gathers over windows and banks."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from flow.errors import UserError
from flow.report import report
from flow.run import run
from flow.settings import Settings

WINDOWS = (1, 4)
BANKS = (8, 16, 32)


def measure_rates(
    settings: Settings, say: Callable[[str], None]
) -> dict[tuple[int, int], Mapping[str, float]]:
    """Commands per cycle by pattern, for each (WINDOW, BANKS); `say` gets lines of progress.

    Raises:
        UserError: a run did not pass; the message is its report.
    """
    measured = {}
    for window in WINDOWS:
        for banks in BANKS:
            parameters = {**settings.parameters, "WINDOW": window, "BANKS": banks}
            finished = run(replace(settings, parameters=parameters, tests=("rates",)))
            if not finished.verdict.passed:
                raise UserError(report(finished))
            measured[window, banks] = finished.record["tests"]["rates"]["rates"]
            say(f"WINDOW={window} BANKS={banks}: {finished.seconds:.1f} s")
    return measured


def rates_table(measured: Mapping[tuple[int, int], Mapping[str, float]]) -> str:
    """A Markdown table: a row for each pattern, a column for each (WINDOW, BANKS)."""
    columns = list(measured)
    titles = [f"WINDOW {window}, {banks} banks" for window, banks in columns]
    patterns = list(measured[columns[0]])
    width = max(len("commands per cycle"), *map(len, patterns))
    rows = [
        f"| {'commands per cycle':{width}} | {' | '.join(titles)} |",
        f"|{'-' * (width + 2)}|{'|'.join('-' * (len(title) + 1) + ':' for title in titles)}|",
    ]
    for pattern in patterns:
        values = zip(
            (f"{measured[column][pattern]:.3f}" for column in columns), titles, strict=True
        )
        rows.append(
            f"| {pattern:{width}} | {' | '.join(f'{value:>{len(title)}}' for value, title in values)} |"
        )
    return "\n".join(rows)
