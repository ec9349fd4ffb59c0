"""The Unified Buffer: the scratchpad that commands read and fills write."""

from model.encodings import BLOCK_BYTES


class UnifiedBuffer:
    """A scratchpad of `ub_bytes` bytes (specification, section 1).

    `contents` is a bytearray of `ub_bytes` bytes, all zero at first. `written` holds one flag per
    DataBlock, 1 once a fill or a load has reached it: the contents of the others are unknown in
    hardware.

    Raises ValueError unless `ub_bytes` is a positive multiple of 32.
    """

    def __init__(self, ub_bytes: int) -> None:
        if ub_bytes <= 0 or ub_bytes % BLOCK_BYTES:
            raise ValueError(
                f"ub_bytes is {ub_bytes}; it must be a positive multiple of {BLOCK_BYTES}"
            )
        self.contents = bytearray(ub_bytes)
        self.written = bytearray(ub_bytes // BLOCK_BYTES)

    @property
    def ub_bytes(self) -> int:
        """Size in bytes."""
        return len(self.contents)

    def load(self, contents: bytes) -> None:
        """Set the whole buffer: `contents` from address 0 on, zero after it.

        Raises ValueError when `contents` is larger than the buffer.
        """
        if len(contents) > self.ub_bytes:
            raise ValueError(
                f"{len(contents)} bytes do not fit in a Unified Buffer of {self.ub_bytes} bytes"
            )
        self.contents[:] = contents.ljust(self.ub_bytes, b"\0")
        self.written[:] = b"\1" * len(self.written)

    def fill(self, address: int, data: bytes) -> bool:
        """Write one DataBlock; False when it was dropped as misaligned or out of range.

        Specification, section 5 (`fill_error`). Raises ValueError unless `data` is 32 bytes.
        """
        if len(data) != BLOCK_BYTES:
            raise ValueError(f"a fill of {len(data)} bytes; a DataBlock has {BLOCK_BYTES}")
        if not self.holds_block(address):
            return False
        self.contents[address : address + BLOCK_BYTES] = data
        self.written[address // BLOCK_BYTES] = 1
        return True

    def block(self, address: int) -> bytes:
        """The 32 bytes of the DataBlock at byte address `address`.

        Raises ValueError for an address that is misaligned or out of range.
        """
        if not self.holds_block(address):
            raise ValueError(
                f"address {address:#x} is not a DataBlock of a Unified Buffer "
                f"of {self.ub_bytes} bytes"
            )
        return bytes(self.contents[address : address + BLOCK_BYTES])

    def holds_block(self, address: int) -> bool:
        """Whether a DataBlock begins at byte address `address`: aligned and in range."""
        return address % BLOCK_BYTES == 0 and 0 <= address <= self.ub_bytes - BLOCK_BYTES
