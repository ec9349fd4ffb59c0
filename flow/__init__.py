"""The run flow: sets up tools, builds, runs and judges simulations. Started by the Makefile."""

import sys

MINIMUM_PYTHON = (3, 11)

# Here, because this file is read before any other of the package and parses on old versions too.
if sys.version_info < MINIMUM_PYTHON:
    raise SystemExit(
        "error: python3 is version {}.{}, but {}.{} or newer is needed: install one and put it "
        "first in PATH".format(*sys.version_info[:2], *MINIMUM_PYTHON)
    )
