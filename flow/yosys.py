"""Runs Yosys in a process of its own: `python -m flow.yosys COMMANDS`, a JSON list of passes.

Yosys ends its process with a failure status on an error, and splits its command lines at blanks:
no path in them may have one.
"""

import importlib.metadata
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from flow import process, tools
from flow.cache import digests, made_once, write_sources
from flow.places import import_root

LIMIT_SECONDS = 3600


def elaboration(
    top: str,
    parameters: Mapping[str, int],
    sources: Iterable[str],
    before: Iterable[str] = (),
) -> list[str]:
    """The passes that read `sources` and make `top` of them, with parameters that are not default.

    Those of `before` come after the reading.
    """
    changes = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    return [
        f"read_verilog {' '.join(sources)}",
        *before,
        f"hierarchy -check -top {top}{changes}",
    ]


def command_line(passes: Iterable[str]) -> list[str]:
    """The command that runs `passes`."""
    return [sys.executable, "-s", "-m", "flow.yosys", json.dumps(list(passes))]


def synthesize(
    top: str,
    parameters: Mapping[str, int],
    sources: Mapping[str, bytes],
    passes: Iterable[str],
    before: Iterable[str] = (),
) -> Path:
    """The folder of the files that `passes` write after the elaboration of `sources`, by name.

    Those of `before` come before the elaboration.

    Made once for each different content.

    Raises:
        UserError: Yosys failed.
    """
    passes, before = list(passes), list(before)

    def make(folder: Path) -> None:
        # Relative: Yosys makes names of cells from the paths.
        paths = [str(path.relative_to(folder)) for path in write_sources(sources, folder)]
        process.run_tool(
            f"the synthesis of {top}",
            command_line([*elaboration(top, parameters, paths, before), *passes]),
            environment=tools.environment(PYTHONPATH=str(import_root())),
            folder=folder,
            log=folder / "yosys.log",
            limit=LIMIT_SECONDS,
        )

    ingredients = {
        "sources": digests(sources),
        "passes": [*elaboration(top, parameters, [], before), *passes],
        "yosys": importlib.metadata.version("pyosys"),
    }
    return made_once(f"{top}-yosys", ingredients, make).folder


def _main(passes: list[str]) -> None:
    from pyosys import libyosys

    design = libyosys.Design()
    for command in passes:
        libyosys.run_pass(command, design)


if __name__ == "__main__":
    process.end_with_parent()
    _main(json.loads(sys.argv[1]))
