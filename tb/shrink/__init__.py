"""Making a failing case small."""

from tb.shrink.shrinker import Shrinker, Size
from tb.shrink.windows import windows

__all__ = ["Shrinker", "Size", "windows"]
