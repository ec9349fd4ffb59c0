# Thin front of the Python package flow/: every target sets up what it needs by itself.
.DEFAULT_GOAL := help
.PHONY: help sim regress soak replay faults bench test coverage mutate formal rates cycles synth lint doctor list waves clean distclean

# Through the environment rather than the command line, so that the shell never sees the values.
export MAKE_VARIABLES := $(MAKEOVERRIDES)

# -E: the user's PYTHONPATH and PYTHONHOME must not matter; -s: nor packages of the user's own.
help sim regress soak replay faults bench test coverage mutate formal rates cycles synth lint doctor list waves clean distclean:
	@command -v python3 >/dev/null || { echo "python3 not found: install Python 3.11 or newer" >&2; exit 1; }
	@python3 -E -s -m flow.bootstrap $@
