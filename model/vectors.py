"""Cases on disk: a folder with a Unified Buffer, commands and expected data.

docs/vectors.md describes the format.
"""

import shutil
import uuid
from pathlib import Path

from model.case import Case
from model.case_json import CaseError, format_case, parse_case
from model.encodings import BLOCK_BYTES, REGISTER_BYTES
from model.values import Command

UB_FILE = "ub.bin"
COMMANDS_FILE = "commands.json"
EXPECTED_FILE = "expected.bin"

_UB_BYTES_MAX = 1 << 30


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
    fields = parse_case(str(folder / COMMANDS_FILE), _read(folder / COMMANDS_FILE))
    _check_expected_size(folder, _size(folder / EXPECTED_FILE), len(fields["commands"]))
    contents, expected = _read(folder / UB_FILE), _read(folder / EXPECTED_FILE)
    return Case(contents=contents, expected=expected, **fields)


def read_commands(file: Path) -> tuple[str, tuple[Command, ...]]:
    """What a commands file is about, and its commands.

    Raises CaseError, with one line that says where the file is wrong and what is possible.
    """
    fields = parse_case(str(file), _read(file))
    return fields["about"], fields["commands"]


def write_case(folder: Path, case: Case) -> None:
    """Write `case` to `folder`, which must not exist: all of it, or nothing.

    Raises CaseError when the folder exists, cannot be written, or the case is inconsistent.
    """
    folder = Path(folder)
    if folder.exists():
        raise CaseError(f"{folder}: exists already; remove it or choose another folder")
    _check_contents_size(folder, len(case.contents))
    if not case.commands and not case.fills:
        raise CaseError(f"{folder}/{COMMANDS_FILE}: no commands and no fills")
    _check_expected_size(folder, len(case.expected), len(case.commands))
    unfinished = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    try:
        unfinished.mkdir(parents=True)
        (unfinished / UB_FILE).write_bytes(case.contents)
        (unfinished / COMMANDS_FILE).write_text(format_case(case), "utf-8")
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
