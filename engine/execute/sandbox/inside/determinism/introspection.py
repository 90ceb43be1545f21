"""Attributes and hashes that a program may ask for of its own objects only, checked when the program runs (S3)."""

import ast
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from .name_lists import OF_OWN
from .rewriting import ASK, CALLED, HASH

Note = Callable[[str], None]
_MODULE_OF, _DICT_OF = type.__dict__["__module__"].__get__, type.__dict__["__dict__"].__get__
_SMALL = 2**31 - 1  # numbers up to this are their own hashes, also on 32-bit machines


class Watcher(Protocol):
    """The guard, for what is asked of it through a stand-in."""

    def check(self, thing: Any, name: Any) -> None: ...
    def told(self, thing: Any, name: Any, found: Any) -> Any: ...


def is_own(kind: Any) -> bool:
    """Whether a class is the program's."""
    return issubclass(type(kind), type) and _MODULE_OF(kind) == "__main__"


def kind_of(thing: Any) -> Any:
    """The thing itself if it is a class, otherwise its class."""
    return thing if issubclass(type(thing), type) else type(thing)


def objection(thing: Any, name: str) -> str:
    """Why a program must not read one of `OF_OWN` of a thing; empty if it may."""
    fine = True
    kind = type(thing)  # not isinstance, which asks the thing itself for its class
    if name == "__self__":
        fine = kind is types.MethodType and (is_own(type(thing.__self__)) or is_own(thing.__self__))
    elif name == "__subclasses__":
        fine = is_own(thing)
    elif name == "__closure__":
        fine = kind is types.FunctionType and thing.__globals__.get("__name__") == "__main__"
    elif name == "__dict__":
        fine = not issubclass(kind, types.ModuleType | ast.AST)  # a tree's fields differ between versions
    return "" if fine else f"it uses the attribute {name}"


def result(thing: Any, name: str, found: Any, note: Note, watcher: Watcher) -> Any:
    """What the program gets for one of `OF_OWN`."""
    if name == "__dict__" and issubclass(type(thing), type) and not is_own(thing):
        return types.MappingProxyType(_Names(thing, note, watcher))
    if name == "__hash__" and found is not None:
        return lambda *given: checked_hash(found(*given), given[0] if given else thing, note)
    if name == "__getattribute__":

        def ask(*given: Any) -> Any:
            owner, asked = (thing, *given)[-2:] if given else (thing, None)
            watcher.check(owner, asked)
            return watcher.told(owner, asked, found(*given))

        return ask
    return found


def checked_hash(number: int, value: Any, note: Note) -> int:
    """The hash of a value; calls `note` if it is not the same everywhere."""
    if type(value) in (bool, int, float, complex):
        known = (value == number and abs(number) < _SMALL) or value in (-1, float("inf"), float("-inf"))
    else:
        code = getattr(type(value).__hash__, "__code__", None)  # of a method of the program's own
        known = (
            code is not None
            and not {"hash", HASH, "__hash__", ASK, CALLED} & set(code.co_names)
            and abs(number) < _SMALL
        )
    if not known:
        note("it uses hash: it differs between runs and machines")
    return number


class _Names(Mapping[str, Any]):
    """The attributes of a class that is not the program's, one by one; listing them calls `note`."""

    def __init__(self, kind: type, note: Note, watcher: Watcher) -> None:
        self._kind, self._note, self._watcher = kind, note, watcher

    def __getitem__(self, name: str) -> Any:
        found = _DICT_OF(self._kind)[name]
        self._watcher.check(None if name in OF_OWN else self._kind, name)
        return self._watcher.told(self._kind, name, found)

    def __iter__(self) -> Iterator[str]:
        self._report()
        return iter(_DICT_OF(self._kind))

    def __len__(self) -> int:
        self._report()
        return len(_DICT_OF(self._kind))

    def __contains__(self, name: object) -> bool:
        return name in _DICT_OF(self._kind)

    def __repr__(self) -> str:
        self._report()
        return repr(dict(_DICT_OF(self._kind)))

    def copy(self) -> dict[str, Any]:
        self._report()
        return dict(_DICT_OF(self._kind))

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def _report(self) -> None:
        self._note(f"it lists the attributes of {self._kind.__name__}, which differ between versions")
