"""Cases on disk: the public vectors, the round trip, and the message for each malformed folder."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from model import (
    Case,
    CaseError,
    Command,
    CommandBatch,
    Dtype,
    FaultKind,
    Fill,
    Op,
    UnifiedBuffer,
    execute,
    execute_batch,
    read_case,
    write_case,
)

UB_BYTES = 1 << 18
PUBLIC_VECTORS = sorted(
    folder for folder in (Path(__file__).parent / "vectors").iterdir() if folder.is_dir()
)

every_vector = pytest.mark.parametrize("folder", PUBLIC_VECTORS, ids=lambda folder: folder.name)


def loaded_buffer(case: Case) -> UnifiedBuffer:
    buffer = UnifiedBuffer(UB_BYTES)
    buffer.load(case.contents)
    return buffer


def test_the_four_public_vectors_are_there():
    assert {folder.name for folder in PUBLIC_VECTORS} >= {
        "gatherb_affine",
        "gatherb_example",
        "loadalign_bank_case_13",
        "loadalign_post_normal",
    }


@pytest.mark.proves("GB-1", "GB-5", "GB-8", "LA-1", "LA-2", "LA-3", "LA-4", "ST-2", "ST-7")
@every_vector
def test_the_scalar_model_gives_the_data_of_the_public_vectors(folder):
    case = read_case(folder)
    buffer = loaded_buffer(case)
    responses = [execute(buffer, command) for command in case.commands]
    assert {response.fault.kind for response in responses} == {FaultKind.NONE}
    assert b"".join(response.data for response in responses) == case.expected


@pytest.mark.proves("GB-1", "GB-5", "GB-8", "LA-1", "LA-2", "LA-3", "LA-4")
@every_vector
def test_the_batch_model_gives_the_data_of_the_public_vectors(folder):
    case = read_case(folder)
    contents = np.frombuffer(loaded_buffer(case).contents, np.uint8)
    responses = execute_batch(contents, CommandBatch.from_commands(case.commands))
    assert not responses.fault_kind.any()
    assert responses.data.tobytes() == case.expected


COMMANDS = (
    Command(Op.GATHERB, Dtype.B64, 32, 0xF1 << 200, index=tuple(range(8))),
    Command(Op.GATHERB, Dtype.B8, 0, 1, 7, 9),
    Command(Op.LOADALIGN, Dtype.B16, 0, (1 << 256) - 1, 3),
    Command(Op.LOADALIGN, Dtype.B16, 1, 0, 3, 4, (5,) * 8),
    Command(Op.LOADALIGN_POST_NORMAL, Dtype.B32, (1 << 32) - 1, 1 << 255, 3, 4),
    Command(Op.LOADALIGN_POST_UPDATE, Dtype.B32, 0, 0, 0, (1 << 32) - 1),
)
CASE = Case("six commands", bytes(range(64)), COMMANDS, bytes(range(256)) * 6)


def test_a_case_is_read_back_as_it_was_written(tmp_path):
    write_case(tmp_path / "new" / "case", CASE)
    assert read_case(tmp_path / "new" / "case") == CASE
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["case"]


@every_vector
def test_a_public_vector_survives_the_round_trip(folder, tmp_path):
    case = read_case(folder)
    write_case(tmp_path / "case", case)
    assert read_case(tmp_path / "case") == case


def test_a_folder_that_exists_is_not_overwritten(tmp_path):
    (tmp_path / "notes.txt").write_text("keep")
    with pytest.raises(CaseError, match="exists already; remove it or choose another folder"):
        write_case(tmp_path, CASE)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (Case("", b"", COMMANDS, CASE.expected), "ub.bin: 0 bytes"),
        (Case("", bytes(33), COMMANDS, CASE.expected), "ub.bin: 33 bytes"),
        (Case("", bytes(32), COMMANDS, bytes(255)), "expected.bin: 255 bytes; 6 commands need"),
        (Case("", bytes(32), (), b""), "commands.json: no commands"),
    ],
)
def test_an_inconsistent_case_is_not_written(tmp_path, case, message):
    with pytest.raises(CaseError, match=message):
        write_case(tmp_path / "case", case)
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_half_way_leaves_nothing(tmp_path, monkeypatch):
    def full_disk(self, text, encoding):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(CaseError, match="case: cannot be written: No space left on device"):
        write_case(tmp_path / "case", CASE)
    assert list(tmp_path.iterdir()) == []


def test_a_parent_that_is_a_file_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CaseError, match="cannot be written"):
        write_case(tmp_path / "file" / "case", CASE)


@pytest.fixture
def folder(tmp_path) -> Path:
    write_case(tmp_path / "case", CASE)
    return tmp_path / "case"


def the_message(folder: Path) -> str:
    with pytest.raises(CaseError) as error:
        read_case(folder)
    message = str(error.value)
    assert "\n" not in message
    assert message.startswith(str(folder))
    return message.removeprefix(str(folder))


def test_a_missing_folder_is_reported(tmp_path):
    assert the_message(tmp_path / "none").startswith(": no such folder; a case is a folder with")


@pytest.mark.parametrize("name", ["ub.bin", "commands.json", "expected.bin"])
def test_a_missing_file_is_reported(folder, name):
    (folder / name).unlink()
    assert the_message(folder) == f"/{name}: cannot be read: No such file or directory"


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("ub.bin", 0, "/ub.bin: 0 bytes; it must hold a multiple of 32, from 32 to 1073741824"),
        ("ub.bin", 33, "/ub.bin: 33 bytes; it must hold a multiple of 32, from 32 to 1073741824"),
        ("ub.bin", (1 << 30) + 32, "/ub.bin: 1073741856 bytes; it must hold a multiple of 32"),
        ("expected.bin", 1535, "/expected.bin: 1535 bytes; 6 commands need 1536, 256 each"),
        ("expected.bin", 0, "/expected.bin: 0 bytes; 6 commands need 1536, 256 each"),
    ],
)
def test_a_file_of_a_wrong_size_is_reported(folder, name, size, message):
    os.truncate(folder / name, size)
    assert the_message(folder).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", ": not JSON in UTF-8: Expecting value"),
        (b'{"about": "x",\n "commands": [', ": not JSON in UTF-8: Expecting value: line 2"),
        (b"\xff\xfe{}", ": not JSON in UTF-8: "),
        (b"[" * 100_000, ": not JSON in UTF-8: maximum recursion depth"),
        (b"[]", ": []; it must be an object with about and commands"),
        (b'{"commands": []}', ": no about; required are about, commands"),
        (b'{"about": ""}', ": no commands; required are about, commands"),
        (b'{"about": "", "commands": [], "x": 1}', ": unknown key 'x'; possible are about, back"),
        (b'{"about": 3, "commands": []}', ": about is 3; it must be a string"),
        (b'{"about": "", "commands": {}}', ": commands is {}; it must be a list of at least one"),
        (b'{"about": "", "commands": []}', ": commands is []; it must be a list of at least one"),
        (b'{"about": "", "about": ""}', ": key 'about' occurs twice in one object"),
        (b'{"version": 2, "about": "", "commands": []}', ": version is 2; this reads version 1"),
        (b'{"version": true, "about": "", "commands": []}', ": version is True; this reads vers"),
    ],
)
def test_a_malformed_list_of_commands_is_reported(folder, text, message):
    (folder / "commands.json").write_bytes(text)
    assert the_message(folder).startswith("/commands.json" + message)


ABSENT = object()
REQUIRED = "base, block_stride, dtype, mask, op, repeat_stride"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("op", "LOAD", "op is 'LOAD'; possible are GATHERB, LOADALIGN, LOADALIGN_POST_NORMAL, LO"),
        ("op", 0, "op is 0; possible are GATHERB"),
        ("op", ["GATHERB"], "op is ['GATHERB']; possible are GATHERB"),
        ("op", ABSENT, "no op; required are op"),
        ("dtype", "f32", "dtype is 'f32'; possible are b8, b16, b32, b64"),
        ("dtype", ABSENT, f"no dtype; required are {REQUIRED}"),
        ("base", -1, "base is -1; it must be an integer from 0 to 4294967295"),
        ("base", 1 << 32, "base is 4294967296; it must be an integer from 0 to 4294967295"),
        ("base", 1.0, "base is 1.0; it must be an integer"),
        ("base", True, "base is True; it must be an integer"),
        ("base", "0x20", "base is '0x20'; it must be an integer"),
        ("base", ABSENT, f"no base; required are {REQUIRED}"),
        ("mask", "0" * 63, "mask is '000"),
        ("mask", "0" * 63 + "g", "mask is '000"),
        ("mask", "0x" + "0" * 62, "mask is '0x0"),
        ("mask", "0" * 64 + "\n", "mask is '000"),
        ("mask", 1, "mask is 1; it must be a string of 64 hexadecimal digits, bit 255 first"),
        ("mask", ABSENT, f"no mask; required are {REQUIRED}"),
        ("block_stride", 1 << 32, "block_stride is 4294967296; it must be an integer from 0 to"),
        ("block_stride", None, "block_stride is None; it must be an integer"),
        ("block_stride", ABSENT, f"no block_stride; required are {REQUIRED}"),
        ("repeat_stride", -5, "repeat_stride is -5; it must be an integer from 0 to"),
        ("repeat_stride", ABSENT, f"no repeat_stride; required are {REQUIRED}"),
        ("index", [0] * 7, "index is [0, 0, 0, 0, 0, 0, 0]; it must be a list of 8 byte offsets"),
        ("index", [0] * 900, "index is [0, 0, 0, 0, 0, 0, 0, 0, 0, ...]; it must be a list of 8"),
        ("index", 3, "index is 3; it must be a list of 8 byte offsets"),
        ("index", [0, 0, -1] + [0] * 5, "index[2] is -1; it must be an integer from 0 to"),
        ("stride", 1, "unknown key 'stride'; possible are base, block_stride, dtype, gap, index,"),
        ("a\nb" * 99, 1, "unknown key 'a\\nb"),
    ],
)
def test_a_malformed_command_is_reported_by_its_number_and_field(folder, field, value, message):
    listing = json.loads((folder / "commands.json").read_text())
    command = listing["commands"][4]
    if value is ABSENT:
        del command[field]
    else:
        command[field] = value
    (folder / "commands.json").write_text(json.dumps(listing))
    found = the_message(folder)
    assert found.startswith("/commands.json: command 4: " + message)
    assert len(found) < 300


def test_a_gather_without_an_index_is_reported(folder):
    listing = json.loads((folder / "commands.json").read_text())
    del listing["commands"][0]["index"]
    (folder / "commands.json").write_text(json.dumps(listing))
    assert the_message(folder) == (
        "/commands.json: command 0: no index; required are base, dtype, index, mask, op"
    )


def test_a_command_that_is_no_object_is_reported(folder):
    listing = {"about": "", "commands": ["GATHERB"]}
    (folder / "commands.json").write_text(json.dumps(listing))
    assert the_message(folder).startswith(
        "/commands.json: command 0: 'GATHERB'; it must be an object with base, block_stride"
    )


BLOCK = bytes(range(100, 132))
PLAYED_CASE = Case(
    "a case with everything",
    bytes(range(64)),
    COMMANDS,
    bytes(6 * 256),
    gaps=(0, 3, 0, 0, 1, 0),
    fills=(Fill(32, BLOCK), Fill(1, BLOCK, gap=9)),
    ready=((0, 5), (2, 1)),
    resets=((20, 1),),
    parameters={"UB_BYTES": 1024, "BANKS": 4},
)


@pytest.mark.proves("RN-24")
def test_fills_gaps_backpressure_resets_and_parameters_are_read_back(tmp_path):
    write_case(tmp_path / "case", PLAYED_CASE)
    assert read_case(tmp_path / "case") == PLAYED_CASE


def test_a_case_may_have_fills_alone(tmp_path):
    case = Case("", bytes(32), (), b"", fills=(Fill(0, BLOCK),))
    write_case(tmp_path / "case", case)
    assert read_case(tmp_path / "case") == case


@pytest.mark.proves("RN-24")
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("fills", {}, "fills is {}; it must be a list"),
        ("fills", [3], "fill 0: 3; it must be an object with address and data"),
        ("fills", [{"address": 0}], "fill 0: no data; required are address, data"),
        ("fills", [{"address": -1, "data": "00" * 32}], "fill 0: address is -1; it must be an int"),
        (
            "fills",
            [{"address": 0, "data": "00"}],
            "fill 0: data is '00'; it must be a string of 64",
        ),
        (
            "fills",
            [{"address": 0, "data": "00" * 32, "gap": 1.5}],
            "fill 0: gap is 1.5; it must be",
        ),
        (
            "fills",
            [{"address": 0, "data": "00" * 32, "at": 1}],
            "fill 0: unknown key 'at'; possible",
        ),
        ("backpressure", 3, "backpressure is 3; it must be a list"),
        ("backpressure", [[1]], "backpressure 0: [1]; it must be [cycles high, cycles low]"),
        ("backpressure", [[1, -1]], "backpressure 0: the second is -1; it must be an integer from"),
        ("resets", [[1, 1], "x"], "reset 1: 'x'; it must be [cycles low, cycles high]"),
        ("parameters", [], "parameters is []; it must be an object"),
        ("parameters", {"BANK": 8}, "parameters: unknown key 'BANK'; possible are BANKS, STRIDE_W"),
        ("parameters", {"BANKS": "8"}, "parameters: BANKS is '8'; it must be an integer from 0"),
    ],
)
def test_a_malformed_optional_field_is_reported_by_its_name(folder, field, value, message):
    listing = json.loads((folder / "commands.json").read_text())
    listing[field] = value
    (folder / "commands.json").write_text(json.dumps(listing))
    assert the_message(folder).startswith("/commands.json: " + message)


@pytest.mark.proves("RN-24")
def test_a_malformed_gap_is_reported_by_its_command(folder):
    listing = json.loads((folder / "commands.json").read_text())
    listing["commands"][2]["gap"] = -1
    (folder / "commands.json").write_text(json.dumps(listing))
    assert the_message(folder).startswith("/commands.json: command 2: gap is -1; it must be an int")
