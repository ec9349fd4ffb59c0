"""What is made once for each different content: a folder under build/cache."""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from flow.locks import locked
from flow.places import ensure_folder


@dataclass(frozen=True)
class Made:
    """A folder that is whole, and how long it took to make: 0 where it was there."""

    folder: Path
    seconds: float


def made_once(name: str, ingredients: Mapping[str, object], make: Callable[[Path], None]) -> Made:
    """The folder that `make` fills, named `name` and a digest of all that it is made of.

    So a stale one cannot be met. A lock lets parallel runs share it, and a stamp written last tells
    a whole one from a torso; of one that could not be made nothing is left. Its path has no blank.
    """
    cache = ensure_folder("build") / "cache"
    cache.mkdir(exist_ok=True)
    folder = cache / f"{name}-{_digest(json.dumps(ingredients, sort_keys=True).encode())[:16]}"
    stamp = folder / "complete"
    if stamp.exists():
        return Made(folder, 0.0)
    with locked(folder.with_suffix(".lock")):
        if stamp.exists():
            return Made(folder, 0.0)
        start = time.monotonic()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            make(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        stamp.touch()
    return Made(folder, time.monotonic() - start)


def digests(sources: Mapping[str, bytes]) -> dict[str, str]:
    """Of each source by its name, for the ingredients."""
    return {name: _digest(content) for name, content in sources.items()}


def write_sources(sources: Mapping[str, bytes], folder: Path) -> list[Path]:
    """Write `sources` into `folder`/sources: what was digested is what is compiled."""
    copies = folder / "sources"
    copies.mkdir()
    for name, content in sources.items():
        (copies / name).write_bytes(content)
    return [copies / name for name in sources]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
