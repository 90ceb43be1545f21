"""What `id` returns to a program: comparable with the address of the same object; any other use is reported."""

import builtins
from collections.abc import Callable
from typing import Any


class Address:
    """An object's address that can be compared for equality and hashed; every other use calls `note`."""

    __slots__ = ("_note", "_number")

    def __init__(self, number: int, note: Callable[[], None]) -> None:
        self._number, self._note = number, note

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return int

    def __eq__(self, other: object) -> bool:
        if type(other) is Address:
            return self._number == other._number
        if issubclass(type(other), int | float | complex):
            self._note()
        return self._number == other

    def __hash__(self) -> int:
        return builtins.hash(self._number)


def _noting(name: str) -> Callable[..., Any]:
    method = getattr(int, name)

    def call(self: Any, *others: Any) -> Any:
        self._note()
        return method(self._number, *(other._number if type(other) is Address else other for other in others))

    call.__name__ = name
    return call


for _name in dir(int):
    if (callable(getattr(int, _name)) and _name not in dir(object)) or _name in ("__repr__", "__str__", "__format__"):
        setattr(Address, _name, _noting(_name))
for _name in ("__lt__", "__le__", "__gt__", "__ge__"):
    setattr(Address, _name, _noting(_name))
Address.__name__ = Address.__qualname__ = "int"
Address.__module__ = "builtins"
