"""The bench of the top module: every test of tb/load_unit, in the order of a first look."""

from tb.load_unit.random_commands import random_commands

__all__ = ["random_commands"]
