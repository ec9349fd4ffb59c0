"""Waveforms: a saved view for a dump, and a program that shows it."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vcd.gtkw import GTKWSave

from flow.errors import UserError
from flow.places import RUNS

# Ports by what they belong to: a name or the start of one.
_GROUPS = {
    "clock and reset": ("clk", "rst", "idle"),
    "command": ("cmd_",),
    "fill": ("fill_",),
    "response": ("rsp_",),
}


# The view opens where the commands begin, some forty clock cycles wide.
_BEGINS_WITH = "cmd_valid"
_LEAD_TIME = 50_000
_ZOOM = -16.0


@dataclass
class Scope:
    """A scope of a dump: its full name, its signals (with their range), the scopes in it."""

    path: str
    signals: list[str] = field(default_factory=list)
    scopes: list["Scope"] = field(default_factory=list)


def read_scopes(dump: Path) -> Scope:
    """The tree of scopes in the header of the VCD file `dump`, under a root without a name."""
    root = Scope("")
    stack = [root]
    for words in header_commands(dump):
        match words:
            case ["$scope", _, name]:
                scope = Scope(f"{stack[-1].path}.{name}".lstrip("."))
                stack[-1].scopes.append(scope)
                stack.append(scope)
            case ["$upscope"]:
                stack.pop()
            case ["$var", "parameter", *_]:
                pass
            case ["$var", _, _, _, *name]:
                stack[-1].signals.append("".join(name))
    return root


def write_view(dump: Path, toplevel: str) -> Path | None:
    """Write a GTKWave view beside `dump`; None where the dump has no scope `toplevel`.

    The names come from the header of the dump itself, because the simulators differ in theirs:
    Verilator puts a scope of its own around the top module.
    """
    top = find_scope(read_scopes(dump), toplevel)
    if top is None:
        return None
    path = dump.with_suffix(".gtkw")
    with path.open("w", encoding="utf-8") as file:
        save = GTKWSave(file)
        save.dumpfile(str(dump))
        save.treeopen(top.path)
        if (begin := _first_rise(dump, _BEGINS_WITH)) is not None:
            save.timestart(max(0, begin - _LEAD_TIME))
            save.zoom_markers(_ZOOM, begin)
        shown: set[str] = set()
        for title, starts in _GROUPS.items():
            signals = [name for name in top.signals if name.startswith(starts)]
            signals = handshake_first(signals)
            shown.update(signals)
            _write_group(save, title, top, signals, closed=False)
        rest = [name for name in top.signals if name not in shown]
        _write_group(save, f"inside {toplevel}", top, rest, closed=True)
        for scope in top.scopes:
            write_scope(save, scope)
    return path


def open_newest() -> str:
    """Open the newest dump in a viewer; the text says what was done, or how to do it.

    Raises:
        UserError: there is no dump yet.
    """
    dumps = sorted(RUNS.glob("*/dump.vcd"), key=lambda path: path.stat().st_mtime)
    if not dumps:
        raise UserError("there is no dump yet: make sim WAVES=1 writes one")
    return open_dump(dumps[-1])


def open_dump(dump: Path) -> str:
    """Open a dump, with the view beside it, in a viewer; the text says what was done, or how to do it."""
    view = dump.with_suffix(".gtkw")
    commands = {
        "gtkwave": [str(dump), *([str(view)] if view.exists() else [])],
        "surfer": [str(dump)],
    }
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        for program, arguments in commands.items():
            if (found := shutil.which(program)) is not None:
                subprocess.Popen(
                    [found, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
                return f"opened {dump} in {program}"
    return (
        f"no display with GTKWave or Surfer here; dump:\n  {dump}\n"
        f"open it with: gtkwave '{dump}' '{view}'\n          or: surfer '{dump}'"
    )


def header_commands(dump: Path) -> Iterator[list[str]]:
    """The commands of a VCD header, as words without the closing `$end`."""
    words: list[str] = []
    with dump.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            for word in line.split():
                if word == "$end":
                    if words[:1] == ["$enddefinitions"]:
                        return
                    yield words
                    words = []
                else:
                    words.append(word)


def _first_rise(dump: Path, signal: str) -> int | None:
    """The time, in units of the dump, at which a signal of one bit is first 1."""
    codes = [words[3] for words in header_commands(dump) if words[4:] == [signal]]
    if not codes:
        return None
    time = 0
    with dump.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("#"):
                time = int(line[1:])
            elif line.rstrip() == f"1{codes[0]}":
                return time
    return None


def find_scope(scope: Scope, name: str) -> Scope | None:
    """The first scope of this name within another."""
    for inner in scope.scopes:
        if inner.path.rpartition(".")[2] == name:
            return inner
        if (found := find_scope(inner, name)) is not None:
            return found
    return None


def write_trace(save: GTKWSave, scope: Scope, name: str) -> None:
    """Show one signal, a bus in hexadecimal."""
    is_bus = re.search(r"\[\d+:\d+\]$", name) is not None
    save.trace(f"{scope.path}.{name}", datafmt="hex" if is_bus else "bin")


def handshake_first(names: Sequence[str]) -> list[str]:
    """Ports in the same order for every simulator: the handshake, then the rest by name."""
    return sorted(names, key=lambda name: ("_valid" not in name, "_ready" not in name, name))


def write_scope(save: GTKWSave, scope: Scope) -> None:
    """Show a scope and those in it, closed."""
    title = scope.path.rpartition(".")[2]
    _write_group(save, title, scope, scope.signals, closed=True)
    for inner in scope.scopes:
        write_scope(save, inner)


def _write_group(
    save: GTKWSave, title: str, scope: Scope, signals: list[str], *, closed: bool
) -> None:
    if not signals:
        return
    with save.group(title, closed=closed):
        for name in signals:
            write_trace(save, scope, name)
