"""The cocotb testbench of the load unit: ports, stimulus, scoreboard and the tests on top."""
