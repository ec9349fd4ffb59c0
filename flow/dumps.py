"""Two VCD files as one, on one axis of time: viewers open a single file."""

import heapq
from collections.abc import Iterator
from pathlib import Path

from flow.errors import UserError


def merge_dumps(first: Path, second: Path, merged: Path) -> None:
    """Write both dumps, which must have the same unit of time, into a new one.

    Raises:
        UserError: the units of time differ.
    """
    codes = set()
    headers = []
    for dump in (first, second):
        headers.append(_header(dump))
        codes |= {line.split()[3] for line in headers[-1] if line.startswith("$var")}
    units = ["".join(_field(header, "$timescale")) for header in headers]
    if units[0] != units[1]:
        raise UserError(f"{first} counts time in {units[0]}, {second} in {units[1]}")
    # The codes of the second get a start that no code of the first has.
    prefix = "~"
    while any(code.startswith(prefix) for code in codes):
        prefix += "~"
    partial = merged.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        definitions = [
            line for line in headers[1] if line.startswith(("$scope", "$upscope", "$var"))
        ]
        renamed = [_rename_definition(line, prefix) for line in definitions]
        file.writelines(f"{line}\n" for line in [*headers[0], *renamed, "$enddefinitions $end"])
        changes = (
            (time, 1, _rename_change(change, prefix))
            for time, _, change in _changes(second, 1)
            if not change.startswith("$")
        )
        now = None
        for time, _, change in heapq.merge(_changes(first, 0), changes, key=lambda item: item[:2]):
            if time != now:
                file.write(f"#{time}\n")
                now = time
            file.write(f"{change}\n")
    partial.replace(merged)


def _header(dump: Path) -> list[str]:
    """The commands before the end of the definitions, each in one line."""
    commands: list[str] = []
    words: list[str] = []
    with dump.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            for word in line.split():
                words.append(word)
                if word == "$end":
                    if words[0] == "$enddefinitions":
                        return commands
                    commands.append(" ".join(words))
                    words = []
    raise UserError(f"{dump} has no end of its definitions: the simulation was cut")


def _field(header: list[str], keyword: str) -> list[str]:
    return next((line.split()[1:-1] for line in header if line.startswith(keyword)), [])


def _changes(dump: Path, rank: int) -> Iterator[tuple[int, int, str]]:
    """(time, rank, line) of every line behind the definitions."""
    time = 0
    with dump.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("$enddefinitions"):
                break
        for line in file:
            if line.startswith("#"):
                time = int(line[1:])
            elif line.strip():
                yield time, rank, line.rstrip("\n")


def _rename_definition(line: str, prefix: str) -> str:
    words = line.split()
    if words[0] == "$var":
        words[3] = prefix + words[3]
    return " ".join(words)


def _rename_change(change: str, prefix: str) -> str:
    if change[0] in "bBrRsS":
        value, _, code = change.rpartition(" ")
        return f"{value} {prefix}{code}"
    return f"{change[0]}{prefix}{change[1:]}"
