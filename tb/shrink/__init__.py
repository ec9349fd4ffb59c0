"""Making a failing case small."""

from tb.shrink.shrinker import Shrinker, Size

__all__ = ["Shrinker", "Size"]
