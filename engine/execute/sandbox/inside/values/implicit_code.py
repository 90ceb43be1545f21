"""Which code Python would run to read an attribute of the puzzle's, to call it, to hash it or to ask for its truth.

Python does all of that itself. Before it does, every place is checked where Python may find code to run. Such a place
must be empty, or hold a function of the puzzle's, or code of Python's that only reads. Anything else is refused: a
method of a list as `__call__`, a property or a cache by the library, a class of the library.
"""

import enum
from collections import namedtuple
from types import MemberDescriptorType, MethodType
from typing import Any

from . import plain
from .inspection import DATA, ERRORS, MISSING, find, is_any, is_class, is_code, is_of_puzzle, mro_of, name_of, names_of
from .text_policy import RefusedError

_PYTHON = (object, type, *DATA, *ERRORS)
_GETTER: type = type(vars(namedtuple("_Pair", "a"))["a"])
_ENUM, _FLAG, _META = names_of(enum.Enum), names_of(enum.Flag), names_of(enum.EnumMeta)
_READING = [_ENUM["name"], _ENUM["value"], _ENUM["__hash__"], _FLAG["__bool__"], _FLAG["__len__"]]
_READING += [_META["__bool__"], _META["__len__"], _META.get("__getattr__", ...)]  # the last until Python 3.11


def _require(kind: type, what: str, *names: str) -> None:
    """Raise RefusedError if one of these operators is defined, but neither by the puzzle nor by Python itself."""
    for name in names:
        home, slot = find(kind, name)
        if not (slot is None or is_any(home, _PYTHON) or is_code(slot) or is_any(slot, _READING)):
            raise RefusedError(f"{what} a {name_of(kind)}, whose {name} is no function of the puzzle's")


def allow_reading(thing: Any, name: str) -> None:
    """Raise RefusedError if an attribute of the thing would not come from the puzzle."""
    kind = type(thing)
    if name.startswith("_") or not is_of_puzzle(thing if is_class(thing) else kind):
        raise RefusedError(f"read the attribute {name!r} of a {name_of(kind)}")
    _require(kind, "read attributes of", "__getattribute__", "__getattr__")
    for one in (kind, thing) if is_class(thing) else (kind,):
        if not _gives(find(one, name)[1]):
            raise RefusedError(f"read the attribute {name!r}, which code of the library's would give")


def _gives(found: Any) -> bool:
    """Whether reading an attribute returns what the class holds unchanged, or by the puzzle's code, or by code of
    Python's that only reads."""
    kind = type(found)
    getter = find(kind, "__get__")[1]
    if getter is MISSING or is_code(getter) or is_code(found):
        return True
    if kind is property:
        return is_code(found.fget)
    if is_any(kind, (staticmethod, classmethod)):
        return is_code(found.__func__)
    return is_any(kind, (MemberDescriptorType, _GETTER)) or is_any(found, _READING)


def allow_call(thing: Any, args: list[Any]) -> None:
    """Raise RefusedError if the call would run anything but functions and classes of the puzzle's."""
    kind = type(thing)
    called = find(kind, "__call__")[1]
    if is_code(thing) or is_code(called) or (kind is MethodType and is_code(thing.__func__)):
        return
    if not is_class(thing) or not is_of_puzzle(thing) or called is not names_of(type)["__call__"]:
        raise RefusedError(f"call a {name_of(kind)}, which is no function and no class of the puzzle's")
    _require(thing, "make", "__del__")
    for kind, name in [(thing, "__new__"), *((kind, "__init__") for kind in _made_by(thing))]:
        home, slot = find(kind, name)
        own = is_code(_bare(slot))
        if not own and home is not object and not (is_any(home, (*DATA, *ERRORS)) and _takes(home, args)):
            raise RefusedError(f"make a {name_of(thing)} of that, which code of the library's would do")


def _bare(slot: Any) -> Any:
    return slot.__func__ if type(slot) is staticmethod else slot


def _made_by(kind: type) -> list[type]:
    """The class; also its subclasses, if a `__new__` of the puzzle's may return one, which Python then initializes."""
    found = [kind]
    for one in found if is_code(_bare(find(kind, "__new__")[1])) else ():
        found += type.__subclasses__(one)
    return found


def _takes(home: type, args: list[Any]) -> bool:
    """Whether a type of data reads such arguments without running their code."""
    if is_any(home, (list, tuple)) and all(is_any(type(one), (list, tuple)) for one in args):
        return True
    return plain.is_plain(args)


def allow_key(thing: Any) -> None:
    """Raise RefusedError if using the thing as a key would run more than the puzzle's code."""
    kind = type(thing)
    _require(kind, "have as a key", "__hash__", "__eq__")
    for base in (tuple, frozenset):
        if is_any(base, mro_of(kind)):
            for part in base.__iter__(thing):
                allow_key(part)
    if kind is slice:
        allow_key((thing.start, thing.stop, thing.step))


def truth(thing: Any) -> bool:
    """Whether the thing is true. Raises RefusedError if finding out would run more than the puzzle's code."""
    _require(type(thing), "ask for the truth of", "__bool__", "__len__")
    return bool(thing)
