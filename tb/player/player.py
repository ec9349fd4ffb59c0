"""The player in Verilog, from cocotb's side: one play at a time, with nothing to do in between."""

from pathlib import Path

from cocotb.handle import HierarchyObject
from cocotb.triggers import Timer, ValueChange

from model import Play, Played
from tb.player.play_files import read_played, write_play
from tb.stopwatch import Stopwatch


class Player:
    """Plays through tb/hdl/player.v, whose files are in the working directory of the simulator.

    `stopwatch` gets the wall time of the simulation and of the files.
    """

    def __init__(self, dut: HierarchyObject, stopwatch: Stopwatch) -> None:
        self._dut = dut
        self._stopwatch = stopwatch
        dut.go.value = 0
        dut.keep.value = 0
        dut.watch.value = 0
        dut.waves.value = 0

    async def play(
        self, play: Play, *, keep: bool = False, watch: bool = False, waves: bool = False
    ) -> Played:
        """Play from a reset on, or (`keep`) with the unit as the play before has left it.

        With `watch` the accesses of the banks are recorded. One play of a simulation may have `waves`:
        it is dumped to waves.vcd.
        """
        dut = self._dut
        folder = Path.cwd()
        with self._stopwatch.spent_on("files"):
            write_play(folder, play)
        with self._stopwatch.spent_on("simulation"):
            # Before the first event even `done` has no initial value yet, but a random one.
            await Timer(1, "step")
            dut.keep.value = keep
            dut.watch.value = watch
            dut.waves.value = waves
            dut.go.value = 1
            while dut.done.value != 1:
                await ValueChange(dut.done)
        with self._stopwatch.spent_on("files"):
            played = read_played(folder)
        dut.go.value = 0
        while dut.done.value != 0:
            await ValueChange(dut.done)
        return played
