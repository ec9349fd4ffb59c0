"""The player in Verilog, from cocotb's side: one play at a time, with nothing to do in between."""

import time
from collections import Counter
from pathlib import Path

from cocotb.handle import HierarchyObject
from cocotb.triggers import ValueChange

from model import Play, Played
from tb.play_files import read_played, write_play


class Player:
    """Plays through tb/hdl/player.v, whose files are in the working directory of the simulator.

    `seconds`: the wall time of all plays, by what it was spent on.
    """

    def __init__(self, dut: HierarchyObject) -> None:
        self._dut = dut
        self.seconds = Counter({"files": 0.0, "simulation": 0.0})
        dut.go.value = 0
        dut.keep.value = 0

    async def play(self, play: Play, *, keep: bool = False) -> Played:
        """Play from a reset on, or (`keep`) with the unit as the play before has left it."""
        dut = self._dut
        folder = Path.cwd()
        start = time.monotonic()
        write_play(folder, play)
        written = time.monotonic()
        dut.keep.value = keep
        dut.go.value = 1
        while dut.done.value != 1:
            await ValueChange(dut.done)
        done = time.monotonic()
        played = read_played(folder, hung=bool(dut.hung.value))
        self.seconds["simulation"] += done - written
        self.seconds["files"] += written - start + time.monotonic() - done
        dut.go.value = 0
        while dut.done.value != 0:
            await ValueChange(dut.done)
        return played
