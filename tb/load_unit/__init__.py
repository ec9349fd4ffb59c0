"""The tests of ub_load_unit, by theme."""
