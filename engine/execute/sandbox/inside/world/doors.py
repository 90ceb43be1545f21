"""Built-in functions that ask our Python code first, and are built-in functions all the same.

A program may look at `getattr`, put it into a class, pass it to `map`, or call it wrongly: a function of ours in its
place would show. So each door is a real built-in function, with the name, text and module of the original, whose table
entry calls `answer`. Python offers no way to make one: `made` prepares a built-in method and the memory of its table
entry, and `native/slots.py` or `guest/slots.py` write the addresses. This happens once, before the process is
forked or the guest snapshotted. Judged code meets doors only where `install` has put them.
"""

import builtins
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

_NAMES = {
    "builtins": "getattr hasattr setattr delattr vars hash id eval exec compile globals dir input",
    "sys": "setrecursionlimit getrecursionlimit",
}
_HEAD = bytes.__basicsize__ - 1  # of a bytes object, before its bytes
ENTRY = 4  # words of a table entry: name, function, flags, text
WITH_KEYWORDS = 3  # the flags of a function that takes a tuple and keywords


class Door:
    """A built-in function and its double, which calls `answer` with what it is given."""

    def __init__(self, module: ModuleType, name: str) -> None:
        self.original: Callable[..., Any] = getattr(module, name)
        self._module, self._name = module, name
        # The double's `__self__` must be a module, as that of the original is.
        self._kind: Any = type("module", (ModuleType,), {"__call__": staticmethod(self.original)})
        self._holder = self._kind(module.__name__)
        self.double = self._holder.__dir__  # until it is rewritten: a built-in method of the holder's
        self.entry = b"\xa5" * (ENTRY * 8)  # not zeros, which a snapshot leaves out

    def addresses(self) -> tuple[int, int, int]:
        """Of the original, of its double, and of the memory for the double's table entry."""
        return id(self.original), id(self.double), id(self.entry) + _HEAD

    def answer(self, answer: Callable[..., Any]) -> Any:
        """Let the double answer so; returns it."""
        self._kind.__call__ = staticmethod(answer)
        return self.double

    def install(self, answer: Callable[..., Any]) -> None:
        """Let the double answer, wherever the name is looked up in this process from here on."""
        self._module.__dict__[self._name] = self.answer(answer)


_doors: dict[str, Door] = {}


def made() -> list[Door]:
    """Doors that must be written into memory; once."""
    for module in (builtins, sys):
        _doors.update({name: Door(module, name) for name in _NAMES[module.__name__].split()})
    return list(_doors.values())


def answer(name: str, answer: Callable[..., Any]) -> Any:
    """The double of a built-in function, which answers so. Nothing meets it until it is put somewhere."""
    return _doors[name].answer(answer)


def install(name: str, answer: Callable[..., Any]) -> None:
    """Replace a built-in function by its double."""
    _doors[name].install(answer)


def original(name: str) -> Any:
    """The built-in function itself."""
    return _doors[name].original
