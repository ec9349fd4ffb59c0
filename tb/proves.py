"""Which rules of docs/testplan.md a cocotb test proves: the test itself says so."""

from collections.abc import Callable
from typing import TypeVar

_ATTRIBUTE = "proven_rules"
_Body = TypeVar("_Body", bound=Callable)


def proves(*rules: str) -> Callable[[_Body], _Body]:
    """Say that a test, where it passes, proves these rules; its record names them."""

    def decorate(body: _Body) -> _Body:
        setattr(body, _ATTRIBUTE, rules)
        return body

    return decorate


def rules_of(body: Callable) -> list[str]:
    """The rules that a test says to prove."""
    return list(getattr(body, _ATTRIBUTE, ()))
