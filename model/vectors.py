"""Cases on disk: a folder with a Unified Buffer, commands and expected data.

docs/vectors.md describes the format.
"""

import json
import re
import reprlib
import shutil
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from model.encodings import BLOCK_BYTES, LANES, MASK_BITS, REGISTER_BYTES, Dtype, Op
from model.values import Command

UB_FILE = "ub.bin"
COMMANDS_FILE = "commands.json"
EXPECTED_FILE = "expected.bin"

_Choice = TypeVar("_Choice", Op, Dtype)

_UB_BYTES_MAX = 1 << 30
_OPS = {op.name: op for op in Op}
_DTYPES = {dtype.name.lower(): dtype for dtype in Dtype}
_MASK_DIGITS = MASK_BITS // 4

_COMMON_KEYS = {"op", "dtype", "base", "mask"}
_KEYS_OF_OP = {
    Op.GATHERB: {"index"},
    Op.LOADALIGN: {"block_stride"},
    Op.LOADALIGN_POST_NORMAL: {"block_stride", "repeat_stride"},
    Op.LOADALIGN_POST_UPDATE: {"block_stride", "repeat_stride"},
}
_ALL_KEYS = _COMMON_KEYS.union(*_KEYS_OF_OP.values())


class CaseError(ValueError):
    """A folder that is not a case; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case: what the Unified Buffer holds, the commands, and the data they give.

    `contents` is the Unified Buffer from address 0 on; the bytes after it are zero. `expected` is
    256 bytes per command, all eight DataBlocks; a command that faults gives zeros.
    """

    about: str
    contents: bytes
    commands: tuple[Command, ...]
    expected: bytes


def read_case(folder: Path) -> Case:
    """The case in `folder`.

    Raises CaseError, with one line that says where the folder is wrong and what is possible.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CaseError(
            f"{folder}: no such folder; a case is a folder "
            f"with {UB_FILE}, {COMMANDS_FILE} and {EXPECTED_FILE}"
        )
    _check_contents_size(folder, _size(folder / UB_FILE))
    about, commands = read_commands(folder / COMMANDS_FILE)
    _check_expected_size(folder, _size(folder / EXPECTED_FILE), len(commands))
    return Case(about, _read(folder / UB_FILE), commands, _read(folder / EXPECTED_FILE))


def read_commands(file: Path) -> tuple[str, tuple[Command, ...]]:
    """What a commands file is about, and its commands.

    Raises CaseError, with one line that says where the file is wrong and what is possible.
    """
    text = _read(file)
    try:
        listing = json.loads(text, object_pairs_hook=_object)
    except _DuplicateKey as error:
        raise CaseError(f"{file}: key {error} occurs twice in one object") from None
    except (ValueError, RecursionError) as error:
        raise CaseError(f"{file}: not JSON in UTF-8: {_one_line(error)}") from None
    if not isinstance(listing, dict):
        raise CaseError(f"{file}: {_show(listing)}; it must be an object with about and commands")
    _check_keys(str(file), listing, {"about", "commands"}, {"about", "commands"})
    about, entries = listing["about"], listing["commands"]
    if not isinstance(about, str):
        raise CaseError(f"{file}: about is {_show(about)}; it must be a string")
    if not isinstance(entries, list) or not entries:
        raise CaseError(
            f"{file}: commands is {_show(entries)}; it must be a list of at least one command"
        )
    return about, tuple(
        _command(f"{file}: command {number}", entry) for number, entry in enumerate(entries)
    )


def write_case(folder: Path, case: Case) -> None:
    """Write `case` to `folder`, which must not exist: all of it, or nothing.

    Raises CaseError when the folder exists, cannot be written, or the case is inconsistent.
    """
    folder = Path(folder)
    if folder.exists():
        raise CaseError(f"{folder}: exists already; remove it or choose another folder")
    _check_contents_size(folder, len(case.contents))
    if not case.commands:
        raise CaseError(f"{folder}/{COMMANDS_FILE}: no commands; a case has at least one")
    _check_expected_size(folder, len(case.expected), len(case.commands))
    listing = {"about": case.about, "commands": [_entry(command) for command in case.commands]}
    unfinished = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    try:
        unfinished.mkdir(parents=True)
        (unfinished / UB_FILE).write_bytes(case.contents)
        (unfinished / COMMANDS_FILE).write_text(json.dumps(listing, indent=1) + "\n", "utf-8")
        (unfinished / EXPECTED_FILE).write_bytes(case.expected)
        unfinished.rename(folder)
    except OSError as error:
        raise CaseError(f"{folder}: cannot be written: {error.strerror}") from error
    finally:
        # Nothing is left of it after the rename; whatever is left otherwise is half a case.
        shutil.rmtree(unfinished, ignore_errors=True)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CaseError(f"{file}: cannot be read: {error.strerror}") from error


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError as error:
        raise CaseError(f"{file}: cannot be read: {error.strerror}") from error


def _check_contents_size(folder: Path, size: int) -> None:
    if not 0 < size <= _UB_BYTES_MAX or size % BLOCK_BYTES:
        raise CaseError(
            f"{folder}/{UB_FILE}: {size} bytes; "
            f"it must hold a multiple of {BLOCK_BYTES}, from {BLOCK_BYTES} to {_UB_BYTES_MAX}"
        )


def _check_expected_size(folder: Path, size: int, commands: int) -> None:
    if size != REGISTER_BYTES * commands:
        raise CaseError(
            f"{folder}/{EXPECTED_FILE}: {size} bytes; "
            f"{commands} commands need {REGISTER_BYTES * commands}, {REGISTER_BYTES} each"
        )


def _command(where: str, entry: object) -> Command:
    if not isinstance(entry, dict):
        raise CaseError(f"{where}: {_show(entry)}; it must be an object with {_list(_ALL_KEYS)}")
    # The op decides which other keys are needed, so it is looked at first.
    _check_keys(where, entry, {"op"}, _ALL_KEYS)
    op = _choice(where, "op", entry["op"], _OPS)
    _check_keys(where, entry, _COMMON_KEYS | _KEYS_OF_OP[op], _ALL_KEYS)
    return Command(
        op=op,
        dtype=_choice(where, "dtype", entry["dtype"], _DTYPES),
        base=_unsigned(where, "base", entry["base"]),
        mask=_mask(where, entry["mask"]),
        block_stride=_unsigned(where, "block_stride", entry.get("block_stride", 0)),
        repeat_stride=_unsigned(where, "repeat_stride", entry.get("repeat_stride", 0)),
        index=_index(where, entry.get("index", [0] * LANES)),
    )


def _check_keys(where: str, entry: dict, required: set[str], possible: set[str]) -> None:
    for key in entry:
        if key not in possible:
            raise CaseError(f"{where}: unknown key {_show(key)}; possible are {_list(possible)}")
    missing = required - entry.keys()
    if missing:
        raise CaseError(f"{where}: no {_list(missing)}; required are {_list(required)}")


def _choice(where: str, field: str, value: object, choices: dict[str, _Choice]) -> _Choice:
    if not isinstance(value, str) or value not in choices:
        raise CaseError(f"{where}: {field} is {_show(value)}; possible are {', '.join(choices)}")
    return choices[value]


def _unsigned(where: str, field: str, value: object) -> int:
    # JSON's true is an int in Python.
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 32:
        raise CaseError(
            f"{where}: {field} is {_show(value)}; it must be an integer from 0 to {(1 << 32) - 1}"
        )
    return value


def _mask(where: str, value: object) -> int:
    if not isinstance(value, str) or not re.fullmatch(f"[0-9a-fA-F]{{{_MASK_DIGITS}}}", value):
        raise CaseError(
            f"{where}: mask is {_show(value)}; "
            f"it must be a string of {_MASK_DIGITS} hexadecimal digits, bit {MASK_BITS - 1} first"
        )
    return int(value, 16)


def _index(where: str, value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != LANES:
        raise CaseError(
            f"{where}: index is {_show(value)}; it must be a list of {LANES} byte offsets"
        )
    return tuple(_unsigned(where, f"index[{lane}]", offset) for lane, offset in enumerate(value))


def _entry(command: Command) -> dict[str, object]:
    """The JSON object of a command: the fields its op reads, and any other that is not zero."""
    entry = {
        "op": command.op.name,
        "dtype": command.dtype.name.lower(),
        "base": command.base,
        "mask": f"{command.mask:0{_MASK_DIGITS}x}",
    }
    needed = _KEYS_OF_OP[command.op]
    if "index" in needed or any(command.index):
        entry["index"] = list(command.index)
    if "block_stride" in needed or command.block_stride:
        entry["block_stride"] = command.block_stride
    if "repeat_stride" in needed or command.repeat_stride:
        entry["repeat_stride"] = command.repeat_stride
    return entry


class _DuplicateKey(Exception):
    pass


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; without this hook the last of two equal keys would win in silence."""
    entry: dict[str, object] = {}
    for key, value in pairs:
        if key in entry:
            raise _DuplicateKey(_show(key))
        entry[key] = value
    return entry


_shortener = reprlib.Repr()
_shortener.maxstring = _shortener.maxother = 80
_shortener.maxlist = LANES + 1


def _show(value: object) -> str:
    return _shortener.repr(value)


def _list(keys: Iterable[str]) -> str:
    return ", ".join(sorted(keys))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
