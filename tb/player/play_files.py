"""The files between a play and the player in Verilog; tb/hdl/player.v says what is in them."""

from pathlib import Path

import numpy as np

from model import LANES, Play, Played, ResponseBatch

# A record's first byte is its highest: written as little-endian fields, last field first, and then
# turned round as a whole.
_COMMAND = np.dtype(
    [
        ("mask", "u1", 32),
        ("index", "<u4", LANES),
        ("repeat_stride", "<u4"),
        ("block_stride", "<u4"),
        ("base", "<u4"),
        ("zero", "<u2"),
        ("dtype", "u1"),
        ("op", "u1"),
        ("gap", "<u4"),
    ]
)
_FILL = np.dtype([("data", "u1", 32), ("address", "<u4"), ("gap", "<u4")])

# As the machine has them: the player writes words.
_RESPONSE = np.dtype(
    [
        ("data", "u1", 256),
        ("cycle", "u4"),
        ("fault_address", "u8"),
        ("base", "u4"),
        ("fault", "u1"),
        ("block_we", "u1"),
        ("unknown", "u2"),
    ]
)
_ACCESS = np.dtype([("cycle", "u4"), ("block", "u4"), ("bank", "u2"), ("kind", "u2")])
_OUTPUTS = np.dtype([("cycle", "u4"), ("value", "u2"), ("unknown", "u2")])


def write_play(folder: Path, play: Play) -> None:
    """Write the four files that the player reads."""
    commands = np.zeros(len(play.commands), _COMMAND)
    commands["gap"] = play.command_gaps
    for name in ("op", "dtype", "base", "block_stride", "repeat_stride", "index", "mask"):
        commands[name] = getattr(play.commands, name)
    _write(folder / "commands.play", commands)
    fills = np.zeros(len(play.fills), _FILL)
    fills["gap"], fills["address"] = play.fill_gaps, play.fills.address
    fills["data"] = play.fills.data
    _write(folder / "fills.play", fills)
    play.ready.astype(">u4").tofile(folder / "ready.play")
    play.resets.astype(">u4").tofile(folder / "resets.play")


def read_played(folder: Path) -> Played:
    """What the player wrote."""
    records = np.fromfile(folder / "responses.rec", _RESPONSE)
    outputs = np.fromfile(folder / "outputs.rec", _OUTPUTS)
    accesses = np.fromfile(folder / "banks.rec", _ACCESS)
    return Played(
        accepted=np.fromfile(folder / "commands.rec", np.uint32).astype(np.int64),
        filled=np.fromfile(folder / "fills.rec", np.uint32).astype(np.int64),
        answered=records["cycle"].astype(np.int64),
        responses=ResponseBatch(
            data=records["data"],
            block_we=records["block_we"],
            base=records["base"],
            fault_kind=records["fault"] & 0xF,
            fault_lane=records["fault"] >> 4,
            fault_address=records["fault_address"],
        ),
        unknown=records["unknown"],
        output_cycles=outputs["cycle"].astype(np.int64),
        outputs=outputs["value"],
        outputs_unknown=outputs["unknown"],
        accesses=np.stack([accesses[name] for name in _ACCESS.names], axis=1).astype(np.int64),
    )


def read_clock(folder: Path) -> tuple[int, int]:
    """The time at which cycle 0 of the last play begins, and that of a cycle: in nanoseconds."""
    start, cycle = np.fromfile(folder / "start.rec", np.uint64).tolist()
    return start, cycle


def _write(path: Path, records: np.ndarray) -> None:
    octets = records.view(np.uint8).reshape(len(records), records.dtype.itemsize)
    path.write_bytes(np.ascontiguousarray(octets[:, ::-1]).tobytes())
