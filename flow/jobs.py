"""Starting `flow.cocotb_job` with a constructed environment."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from flow import process, tools
from flow.places import VENV, import_root


def run_job(
    job: Mapping[str, object],
    *,
    folder: Path,
    log: Path,
    limit: float,
    extra_environment: Mapping[str, str] | None = None,
    echo: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> process.Ended:
    """Carry out `job` in `folder`; its file is kept there as `<kind>.json`."""
    description = folder / f"{job['kind']}.json"
    description.write_text(json.dumps(job, indent=1), encoding="utf-8")
    environment = tools.environment(
        PYTHONPATH=str(import_root()),
        PYTHONNOUSERSITE="1",
        # Nothing that a run writes may change the sources of another.
        PYTHONDONTWRITEBYTECODE="1",
        **(extra_environment or {}),
    )
    environment["PATH"] += f":{VENV.resolve() / 'bin'}"
    command = [sys.executable, "-s", "-m", "flow.cocotb_job", str(description)]
    return process.run(
        command,
        environment=environment,
        folder=folder,
        log=log,
        limit=limit,
        echo=echo,
        say=say,
    )
