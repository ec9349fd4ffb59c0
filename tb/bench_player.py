"""The bench around the player: its tests are those of soak runs and those of cases."""

from tb.player.cases import replay, shrink
from tb.player.soak import one_play, soak

__all__ = ["one_play", "replay", "shrink", "soak"]
