"""The golden model of one command, in the words of the specification."""

from model.encodings import BLOCK_BYTES, LANES, REGISTER_BYTES, Dtype, FaultKind, Op
from model.masks import active_lanes
from model.unified_buffer import UnifiedBuffer
from model.values import NO_FAULT, Command, Fault, Response

_ADDRESS_SPACE = 1 << 32
_ZERO_BLOCK = bytes(BLOCK_BYTES)
_ZERO_REGISTER = bytes(REGISTER_BYTES)


def lane_addresses(command: Command) -> tuple[int, ...]:
    """The eight byte addresses of a command, full width, whatever its mask.

    Specification, sections 2 and 3. Nothing wraps: a gather needs 33 bits, a strided load 41.
    """
    if command.op is Op.GATHERB:
        return tuple([command.base + offset for offset in command.index])
    start = command.base
    if command.op is Op.LOADALIGN_POST_NORMAL:
        start += BLOCK_BYTES * command.repeat_stride
    step = BLOCK_BYTES * command.block_stride
    return tuple([start + step * lane for lane in range(LANES)])


def find_fault(command: Command, ub_bytes: int) -> Fault:
    """The fault of a command in a Unified Buffer of `ub_bytes`, or NO_FAULT.

    Specification, section 4.
    """
    active = active_lanes(command.op, command.dtype, command.mask)
    return _find_fault(command, lane_addresses(command), active, ub_bytes)


def gather_b(buffer: UnifiedBuffer, command: Command) -> Response:
    """GatherB: eight byte offsets pick eight DataBlocks (specification, sections 2 and 4).

    An inactive DataBlock is zero and not written. Raises ValueError for another op.
    """
    if command.op is not Op.GATHERB:
        raise ValueError(f"op is {command.op.name}; gather_b runs GATHERB only")
    active = active_lanes(command.op, command.dtype, command.mask)
    return _respond(buffer, command, active, block_we=active, base_after=command.base)


def load_align(buffer: UnifiedBuffer, command: Command) -> Response:
    """LoadAlign: eight DataBlocks a fixed stride apart (specification, sections 3 and 4).

    An inactive DataBlock is zero, and written. Raises ValueError for GATHERB.
    """
    if command.op is Op.GATHERB:
        raise ValueError("op is GATHERB; load_align runs the three LOADALIGN ops only")
    active = active_lanes(command.op, command.dtype, command.mask)
    base_after = command.base
    if command.op is Op.LOADALIGN_POST_UPDATE:
        base_after = (command.base + BLOCK_BYTES * command.repeat_stride) % _ADDRESS_SPACE
    return _respond(buffer, command, active, block_we=0xFF, base_after=base_after)


def execute(buffer: UnifiedBuffer, command: Command) -> Response:
    """The response to any command (specification, sections 2 to 4). The buffer stays unchanged."""
    if command.op is Op.GATHERB:
        return gather_b(buffer, command)
    return load_align(buffer, command)


def _respond(
    buffer: UnifiedBuffer, command: Command, active: int, block_we: int, base_after: int
) -> Response:
    contents = buffer.contents
    addresses = lane_addresses(command)
    fault = _find_fault(command, addresses, active, len(contents))
    if fault is not NO_FAULT:
        return Response(_ZERO_REGISTER, 0, command.base, fault)
    data = b"".join(
        [
            contents[address : address + BLOCK_BYTES] if active >> lane & 1 else _ZERO_BLOCK
            for lane, address in enumerate(addresses)
        ]
    )
    return Response(data, block_we, base_after, NO_FAULT)


def _find_fault(command: Command, addresses: tuple[int, ...], active: int, ub_bytes: int) -> Fault:
    gathers = command.op is Op.GATHERB
    if not gathers and command.dtype is Dtype.B64:
        return Fault(FaultKind.ILLEGAL_DTYPE, 0, 0)
    if command.base % BLOCK_BYTES:
        return Fault(FaultKind.MISALIGNED_BASE, 0, command.base)
    if gathers:
        for lane, offset in enumerate(command.index):
            if offset % BLOCK_BYTES and active >> lane & 1:
                return Fault(FaultKind.MISALIGNED_INDEX, lane, addresses[lane])
    for lane, address in enumerate(addresses):
        if address + BLOCK_BYTES > ub_bytes and active >> lane & 1:
            return Fault(FaultKind.OUT_OF_RANGE, lane, address)
    return NO_FAULT
