"""Wall time by what it is spent on."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """`seconds`: how long each thing has taken so far."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    @contextmanager
    def spent_on(self, name: str) -> Iterator[None]:
        """Count the time within as spent on `name`."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] += time.monotonic() - start
