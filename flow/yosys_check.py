"""Checks one module with Yosys, in a process of its own: `python -m flow.yosys_check JOB`.

JOB is JSON: `{"top": name, "parameters": {...}, "sources": [paths without blanks]}`. Yosys writes
what it does to standard output; its warnings and errors are what counts.
"""

import json
import sys

from pyosys import libyosys


def main(job: dict) -> None:
    """Read, elaborate and check; Yosys ends the process with a failure status on an error."""
    design = libyosys.Design()
    changes = "".join(f" -chparam {name} {value}" for name, value in job["parameters"].items())
    for command in (
        f"read_verilog {' '.join(job['sources'])}",
        f"hierarchy -check -top {job['top']}{changes}",
        "proc",
        "check -assert",
    ):
        libyosys.run_pass(command, design)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
