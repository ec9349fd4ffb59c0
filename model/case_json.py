"""The JSON of a case: its values from a text, checked field by field, and back.

docs/vectors.md describes the format.
"""

import json
import re
import reprlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from model.case import Case, Fill
from model.encodings import BLOCK_BYTES, LANES, MASK_BITS, Dtype, Op
from model.play import Pairs
from model.values import Command

VERSION = 1

_Choice = TypeVar("_Choice", Op, Dtype)
_Value = TypeVar("_Value")

_OPS = {op.name: op for op in Op}
_DTYPES = {dtype.name.lower(): dtype for dtype in Dtype}
_MASK_DIGITS = MASK_BITS // 4
_DATA_DIGITS = 2 * BLOCK_BYTES

_CASE_KEYS = {"about", "commands"}
_PARAMETERS = ("UB_BYTES", "BANKS", "WINDOW", "STRIDE_W")
_COMMON_KEYS = {"op", "dtype", "base", "mask"}
_KEYS_OF_OP = {
    Op.GATHERB: {"index"},
    Op.LOADALIGN: {"block_stride"},
    Op.LOADALIGN_POST_NORMAL: {"block_stride", "repeat_stride"},
    Op.LOADALIGN_POST_UPDATE: {"block_stride", "repeat_stride"},
}
_COMMAND_KEYS = _COMMON_KEYS.union({"gap"}, *_KEYS_OF_OP.values())


class CaseError(ValueError):
    """A folder that is not a case; the message is one line for the user."""


def parse_case(file: str, text: bytes) -> dict[str, Any]:
    """The fields of a Case that the JSON `text` gives, by their names: all but the bytes.

    Raises CaseError, with one line that says where `file` is wrong and what is possible.
    """
    try:
        listing = json.loads(text, object_pairs_hook=_object)
    except _DuplicateKey as error:
        raise CaseError(f"{file}: key {error} occurs twice in one object") from None
    except (ValueError, RecursionError) as error:
        raise CaseError(f"{file}: not JSON in UTF-8: {_one_line(error)}") from None
    if not isinstance(listing, dict):
        raise CaseError(f"{file}: {_show(listing)}; it must be an object with about and commands")
    optional = {"version", "parameters", "fills", "backpressure", "resets"}
    _check_keys(file, listing, _CASE_KEYS, _CASE_KEYS | optional)
    version = listing.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        raise CaseError(f"{file}: version is {_show(version)}; this reads version {VERSION}")
    about, entries = listing["about"], listing["commands"]
    if not isinstance(about, str):
        raise CaseError(f"{file}: about is {_show(about)}; it must be a string")
    fills = _list_of(file, "fills", listing.get("fills", []), _fill)
    if not isinstance(entries, list) or not (entries or fills):
        raise CaseError(
            f"{file}: commands is {_show(entries)}; it must be a list of at least one command"
        )
    commands = _list_of(file, "commands", entries, _command)
    gaps = tuple(
        _unsigned(f"{file}: command {number}", "gap", entry.get("gap", 0))
        for number, entry in enumerate(entries)
    )
    return {
        "about": about,
        "commands": commands,
        "gaps": gaps if any(gaps) else (),
        "fills": fills,
        "ready": _pairs(file, listing, "backpressure", "[cycles high, cycles low]"),
        "resets": _pairs(file, listing, "resets", "[cycles low, cycles high]"),
        "parameters": _parameters(file, listing.get("parameters", {})),
    }


def format_case(case: Case) -> str:
    """The JSON text of a case: all but the bytes. What is empty is left out."""
    listing: dict[str, object] = {"version": VERSION, "about": case.about}
    if case.parameters:
        listing["parameters"] = dict(case.parameters)
    listing["commands"] = [
        _command_entry(command) | ({"gap": gap} if gap else {})
        for command, gap in zip(case.commands, case.command_gaps, strict=True)
    ]
    if case.fills:
        listing["fills"] = [_fill_entry(fill) for fill in case.fills]
    if case.ready:
        listing["backpressure"] = case.ready
    if case.resets:
        listing["resets"] = case.resets
    return json.dumps(listing, indent=1) + "\n"


def _list_of(
    file: str, key: str, entries: object, read: Callable[[str, object], _Value]
) -> tuple[_Value, ...]:
    """Each entry of a list by `read`, which gets where it is."""
    if not isinstance(entries, list):
        raise CaseError(f"{file}: {key} is {_show(entries)}; it must be a list")
    one = key.removesuffix("s")
    return tuple(read(f"{file}: {one} {number}", entry) for number, entry in enumerate(entries))


def _fill(where: str, entry: object) -> Fill:
    if not isinstance(entry, dict):
        raise CaseError(f"{where}: {_show(entry)}; it must be an object with address and data")
    _check_keys(where, entry, {"address", "data"}, {"address", "data", "gap"})
    data = _hexadecimal(where, "data", entry["data"], _DATA_DIGITS, "byte 0 first")
    return Fill(
        _unsigned(where, "address", entry["address"]),
        bytes.fromhex(data),
        _unsigned(where, "gap", entry.get("gap", 0)),
    )


def _fill_entry(fill: Fill) -> dict[str, object]:
    entry: dict[str, object] = {"address": fill.address, "data": fill.data.hex()}
    return entry | ({"gap": fill.gap} if fill.gap else {})


def _pairs(file: str, listing: dict[str, object], key: str, meaning: str) -> Pairs:
    def read(where: str, pair: object) -> tuple[int, int]:
        if not isinstance(pair, list) or len(pair) != 2:
            raise CaseError(f"{where}: {_show(pair)}; it must be {meaning}")
        return _unsigned(where, "the first", pair[0]), _unsigned(where, "the second", pair[1])

    return _list_of(file, key, listing.get(key, []), read)


def _parameters(file: str, entries: object) -> dict[str, int]:
    if not isinstance(entries, dict):
        raise CaseError(f"{file}: parameters is {_show(entries)}; it must be an object")
    _check_keys(f"{file}: parameters", entries, set(), set(_PARAMETERS))
    return {name: _unsigned(f"{file}: parameters", name, value) for name, value in entries.items()}


def _command(where: str, entry: object) -> Command:
    if not isinstance(entry, dict):
        raise CaseError(
            f"{where}: {_show(entry)}; it must be an object with {_list(_COMMAND_KEYS)}"
        )
    # The op decides which other keys are needed, so it is looked at first.
    _check_keys(where, entry, {"op"}, _COMMAND_KEYS)
    op = _choice(where, "op", entry["op"], _OPS)
    _check_keys(where, entry, _COMMON_KEYS | _KEYS_OF_OP[op], _COMMAND_KEYS)
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


def _hexadecimal(where: str, field: str, value: object, digits: int, order: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(f"[0-9a-fA-F]{{{digits}}}", value):
        raise CaseError(
            f"{where}: {field} is {_show(value)}; "
            f"it must be a string of {digits} hexadecimal digits, {order}"
        )
    return value


def _mask(where: str, value: object) -> int:
    return int(_hexadecimal(where, "mask", value, _MASK_DIGITS, f"bit {MASK_BITS - 1} first"), 16)


def _index(where: str, value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != LANES:
        raise CaseError(
            f"{where}: index is {_show(value)}; it must be a list of {LANES} byte offsets"
        )
    return tuple(_unsigned(where, f"index[{lane}]", offset) for lane, offset in enumerate(value))


def _command_entry(command: Command) -> dict[str, object]:
    """The JSON object of a command: the fields its op reads, and any other that is not zero."""
    entry: dict[str, object] = {
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
