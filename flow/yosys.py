"""Runs Yosys in a process of its own: `python -m flow.yosys COMMANDS`, a JSON list of passes.

Yosys ends its process with a failure status on an error, and splits its command lines at blanks:
no path in them may have one.
"""

import hashlib
import importlib.metadata
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from flow import process, tools
from flow.errors import UserError
from flow.locks import locked
from flow.places import ensure_folder, import_root

LIMIT_SECONDS = 3600


def elaboration(top: str, parameters: Mapping[str, int], sources: Iterable[str]) -> list[str]:
    """The passes that read `sources` and make `top` of them, with parameters that are not default."""
    changes = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    return [
        f"read_verilog {' '.join(sources)}",
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
) -> Path:
    """The folder of the files that `passes` write after the elaboration of `sources`, by name.

    Made once for each different content.

    Raises:
        UserError: Yosys failed.
    """
    passes = list(passes)
    ingredients = {
        "sources": {name: hashlib.sha256(content).hexdigest() for name, content in sources.items()},
        "elaboration": elaboration(top, parameters, []),
        "passes": passes,
        "yosys": importlib.metadata.version("pyosys"),
    }
    digest = hashlib.sha256(json.dumps(ingredients, sort_keys=True).encode()).hexdigest()[:16]
    cache = ensure_folder("build") / "cache"
    cache.mkdir(exist_ok=True)
    result = cache / f"{top}-yosys-{digest}"
    with locked(result.with_suffix(".lock")):
        if not result.exists():
            # A temporary folder has no blank in its path.
            with tempfile.TemporaryDirectory(prefix="ubload-") as name:
                outputs = _run(Path(name), top, parameters, sources, passes)
                partial = result.with_suffix(".partial")
                shutil.rmtree(partial, ignore_errors=True)
                shutil.copytree(outputs, partial)
                partial.replace(result)
    return result


def _run(
    folder: Path,
    top: str,
    parameters: Mapping[str, int],
    sources: Mapping[str, bytes],
    passes: list[str],
) -> Path:
    """Run the passes in `folder`, from copies of `sources`; the result is the folder of outputs."""
    inputs, outputs = folder / "sources", folder / "outputs"
    inputs.mkdir()
    outputs.mkdir()
    for source, content in sources.items():
        (inputs / source).write_bytes(content)
    log = folder / "yosys.log"
    ended = process.run(
        command_line(
            [*elaboration(top, parameters, [str(inputs / name) for name in sources]), *passes]
        ),
        environment=tools.environment(PYTHONPATH=str(import_root())),
        folder=outputs,
        log=log,
        limit=LIMIT_SECONDS,
    )
    if ended.status != 0 or ended.timed_out:
        last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
        raise UserError(f"the synthesis of {top} failed:\n  " + "\n  ".join(last))
    return outputs


def _main(passes: list[str]) -> None:
    from pyosys import libyosys

    design = libyosys.Design()
    for command in passes:
        libyosys.run_pass(command, design)


if __name__ == "__main__":
    process.end_with_parent()
    _main(json.loads(sys.argv[1]))
