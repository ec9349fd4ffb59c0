"""What the batches of this package ask of their arrays."""

from collections.abc import Iterable
from typing import Any

Shape = tuple[int, ...]


def check_arrays(batch: object, expected: Iterable[tuple[str, Any, Shape]]) -> None:
    """Raise ValueError, naming the field, where one is no array of this type and shape.

    `expected` has (field, numpy type, shape) for each field of `batch` that is an array.
    """
    for field, kind, shape in expected:
        array = getattr(batch, field)
        if array.dtype != kind or array.shape != shape:
            raise ValueError(
                f"{field} is {array.dtype} {array.shape}; it must be {kind.__name__} {shape}"
            )
