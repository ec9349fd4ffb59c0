"""Where things are: the repository, and its two generated folders `.venv` and `build`.

The makefiles that Verilator generates cannot take a blank in a path, and all the tools resolve
symbolic links. Where the path of the repository has a blank (or any other character that some
tool treats specially), the generated folders therefore really live in a folder of the user's
cache, and the repository holds links to them.
"""

import hashlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from flow.errors import UserError

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "build" / "runs"
CASES = ROOT / "build" / "cases"
VENV = ROOT / ".venv"

_PLAIN = re.compile(r"[A-Za-z0-9_./+@%-]+")


def is_plain(path: Path) -> bool:
    """Whether every tool takes this path as it is."""
    return _PLAIN.fullmatch(str(path)) is not None


def ensure_folder(name: str) -> Path:
    """Make the generated folder `name` of the repository; return its real, plain path.

    Raises:
        UserError: no folder of this user has a plain path.
    """
    folder = ROOT / name
    if is_plain(ROOT):
        folder.mkdir(exist_ok=True)
        return folder
    target = _private_folder() / name.lstrip(".")
    target.mkdir(exist_ok=True)
    if not folder.is_symlink() or folder.readlink() != target:
        # A link to elsewhere came with a copied or moved clone: that folder is another clone's.
        _link(folder, target)
    return target


def remove_folder(name: str) -> None:
    """Remove the generated folder `name`, and what it is a link to."""
    folder = ROOT / name
    if folder.is_symlink():
        target = folder.readlink()
        folder.unlink()
        if target.parent == _private_folder():
            shutil.rmtree(target, ignore_errors=True)
    elif folder.exists():
        shutil.rmtree(folder)


def remove_private_folder() -> None:
    """Remove what this clone has in the user's cache, if its path made that necessary."""
    if not is_plain(ROOT):
        shutil.rmtree(_private_folder(), ignore_errors=True)


def import_root() -> Path:
    """The repository under a path that may stand in PYTHONPATH (which a colon would split)."""
    if is_plain(ROOT):
        return ROOT
    alias = _private_folder() / "repository"
    if not alias.is_symlink() or alias.readlink() != ROOT:
        _link(alias, ROOT)
    return alias


def _link(link: Path, target: Path) -> None:
    """Point `link` to `target` in one step, whatever parallel runs do."""
    if link.is_dir() and not link.is_symlink():
        shutil.rmtree(link)
    new = link.with_name(f"{link.name}.{os.getpid()}")
    new.symlink_to(target)
    new.replace(link)


def _private_folder() -> Path:
    """A folder of this user and this clone alone, with a plain path."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    temporary = Path(tempfile.gettempdir()) / f"ubload-{os.getuid()}"
    for base in (Path(cache) / "ubload", temporary, Path("/tmp") / temporary.name):
        if not is_plain(base) or not base.is_absolute():
            continue
        try:
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = base.lstat()
            if status.st_uid != os.getuid() or base.is_symlink():
                continue
            folder = base / hashlib.sha256(os.fsencode(ROOT)).hexdigest()[:16]
            folder.mkdir(mode=0o700, exist_ok=True)
            return folder
        except OSError:
            continue
    raise UserError(
        f"the path of this clone ({ROOT}) has characters that Verilator cannot take, and no "
        "cache folder without them was found: move the clone, or set XDG_CACHE_HOME"
    )
