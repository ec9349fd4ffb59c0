"""The report of a mismatch: a few lines that say what was asked, what came and from where."""

from model import BLOCK_BYTES, LANES, Command, Fault, Op, Response, active_lanes, lane_addresses
from tb.ports import ObservedResponse


def describe_command(command: Command) -> str:
    """One line that says what a command asks for."""
    text = f"{command.op.name} {command.dtype.name.lower()} base {command.base:#x}"
    if command.op is Op.GATHERB:
        text += " index {" + ", ".join(f"{offset:#x}" for offset in command.index) + "}"
    else:
        text += f" block_stride {command.block_stride}"
        if command.op is not Op.LOADALIGN:
            text += f" repeat_stride {command.repeat_stride}"
    active = active_lanes(command.op, command.dtype, command.mask)
    return f"{text} mask {command.mask:#x} (active blocks {_lanes(active)})"


def describe_mismatch(
    command: Command,
    expected: Response,
    got: ObservedResponse,
    unwritten: int,
    contents: bytes | bytearray,
) -> str:
    """What differs between a response and the golden model's, or "" where nothing does.

    Bit i of `unwritten` says that block i was read from a DataBlock that nothing has written, so
    that its data may be anything. `contents` is the Unified Buffer, in which a wrong DataBlock is
    looked for.
    """
    lines = []
    addresses = lane_addresses(command)
    for lane in range(LANES):
        if unwritten >> lane & 1:
            continue
        block = slice(BLOCK_BYTES * lane, BLOCK_BYTES * (lane + 1))
        source = f"(source address {addresses[lane]:#x})"
        if got.unknown >> lane & 1:
            lines.append(
                f"DataBlock {lane} is X, expected {_bytes(expected.data[block], 0)} {source}"
            )
        elif got.data[block] != expected.data[block]:
            byte = next(
                k for k in range(BLOCK_BYTES) if got.data[block][k] != expected.data[block][k]
            )
            lines.append(
                f"DataBlock {lane} from byte {byte} on: got {_bytes(got.data[block], byte)}, "
                f"expected {_bytes(expected.data[block], byte)} {source}"
                f"{_origin(got.data[block], contents)}"
            )
    if got.block_we != expected.block_we:
        lines.append(f"rsp_block_we: got {got.block_we:#04x}, expected {expected.block_we:#04x}")
    if got.base != expected.base:
        lines.append(f"rsp_base: got {got.base:#x}, expected {expected.base:#x}")
    if got.fault != expected.fault:
        lines.append(f"fault: got {_fault(got.fault)}, expected {_fault(expected.fault)}")
    return "\n  ".join([describe_command(command), *lines]) if lines else ""


def mismatch_kind(expected: Response, got: ObservedResponse) -> str:
    """The output that names a mismatch; data last, because a wrong fault takes them away too."""
    pairs = {
        "rsp_fault": (got.fault.kind, expected.fault.kind),
        "rsp_fault_lane": (got.fault.lane, expected.fault.lane),
        "rsp_fault_addr": (got.fault.address, expected.fault.address),
        "rsp_block_we": (got.block_we, expected.block_we),
        "rsp_base": (got.base, expected.base),
    }
    return next((port for port, (came, right) in pairs.items() if came != right), "rsp_data")


def _origin(block: bytes, contents: bytes | bytearray) -> str:
    """Which DataBlock of the Unified Buffer a wrong one is, if it is any."""
    if not any(block):
        return ""
    place = contents.find(block)
    while place % BLOCK_BYTES and place >= 0:
        place = contents.find(block, place + 1)
    return f"; what came is the DataBlock at {place:#x}" if place >= 0 else ""


def _bytes(block: bytes, first: int) -> str:
    shown = block[first : first + 8]
    return shown.hex(" ") + (" .." if first + 8 < BLOCK_BYTES else "")


def _fault(fault: Fault) -> str:
    return f"{fault.kind.name} lane {fault.lane} address {fault.address:#x}"


def _lanes(active: int) -> str:
    return ",".join(str(lane) for lane in range(LANES) if active >> lane & 1) or "none"
