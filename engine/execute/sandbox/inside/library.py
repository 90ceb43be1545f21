"""What a solution's code gets of Python and of its library, where it runs beside the puzzle: nothing that keeps a state
which the puzzle shares, and no way to make an object that passes itself off as data.
"""

import builtins
import functools
import importlib
import re
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FrameType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from . import kinds
from .kinds import DATA
from .policy import RefusedError
from .views import View, bare, show

_BUILTINS = """abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format
    frozenset hash hex int isinstance issubclass iter len list map max min next object oct ord pow range repr
    reversed round set slice sorted str sum tuple zip Ellipsis NotImplemented ArithmeticError AssertionError
    AttributeError Exception IndexError KeyError LookupError NameError NotImplementedError OverflowError
    RecursionError RuntimeError StopIteration TypeError ValueError ZeroDivisionError"""
MODULES: dict[str, str] = {  # module: the attributes that a solution may use, all public ones if empty
    **dict.fromkeys(["binascii", "bisect", "cmath", "datetime", "heapq", "itertools", "math", "struct"], ""),
    **dict.fromkeys(["unicodedata", "zlib"], ""),
    "base64": """b64encode b64decode standard_b64encode standard_b64decode urlsafe_b64encode urlsafe_b64decode b32encode
        b32decode b16encode b16decode a85encode a85decode b85encode b85decode encodebytes decodebytes""",
    "textwrap": "wrap fill dedent indent shorten",
    "collections": "Counter OrderedDict defaultdict deque ChainMap",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "functools": "reduce partial cmp_to_key lru_cache cache",
    "hashlib": "md5 sha1 sha224 sha256 sha384 sha512 blake2b blake2s sha3_224 sha3_256 sha3_384 sha3_512",
    "operator": """abs add and_ concat contains countOf eq floordiv ge getitem gt index indexOf inv invert is_ is_not
        itemgetter le lshift lt matmul mod mul ne neg not_ or_ pos pow rshift sub truediv truth xor""",
    "re": "match search fullmatch findall finditer sub split compile escape IGNORECASE MULTILINE DOTALL",
    "statistics": "mean median mode stdev variance pstdev pvariance fmean",
    "string": """ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable
        whitespace capwords""",
}
SAFE_BUILTINS: dict[str, Any] = {name: getattr(builtins, name) for name in _BUILTINS.split()}
_OF_DATA = frozenset(name for kind in DATA for name in dir(kind))  # the names by which data is used
_KEYS = ("__call__", "__init__", "__doc__")  # what a class of the solution's may define beside public names
_frame: Callable[[int], FrameType] = sys._getframe
_cmp_to_key: Callable[[Any], Any] = functools.cmp_to_key


class Part:
    """Stands for a module of the standard library: has what a solution may use of it."""


# ------------------------------------------------------------------------------------------------ types and classes


class _Names(type):
    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(bare(thing), type)


class Kind(metaclass=_Names):
    """What `type` is to the solution's code: it tells the type of a value, and makes a class."""

    def __new__(cls, *args: Any) -> Any:
        if len(args) == 3:
            return _new_class(*args)
        if len(args) != 1:
            raise TypeError("type() takes 1 or 3 arguments")
        return _kind_of(args[0])


Kind.__name__ = "type"
_made: list[type] = []
_SAMPLES: tuple[Any, ...] = (None, ..., NotImplemented, {}.items(), {}.keys(), {}.values(), re.compile(""))
_SAMPLES = (*_SAMPLES, re.match("", ""), "".join, "".__len__, str.join, str.__len__, functools.partial(len))
_KNOWN = (*DATA, *kinds.ITERATORS, *map(type, _SAMPLES), FunctionType, GeneratorType, MethodType, BuiltinFunctionType)


def _kind_of(thing: Any) -> Any:
    """The type of a thing, if it is one whose call does nothing but make another such thing. (That of `list[int]`, say,
    puts an attribute on whatever a function returns.)"""
    found = type(bare(thing))
    if issubclass(found, type):
        return Kind  # a metaclass, as `type` itself, makes classes of any kind
    if type(thing) is View and kinds.is_of_puzzle(found):
        return show(found)
    is_error = BaseException in kinds.mro_of(found) and kinds.module_of(found) == "builtins"
    if is_error or kinds.is_of_puzzle(found) or any(found is one for one in (*_KNOWN, *_made)) or is_part(found):
        return found
    raise RefusedError(f"ask for the type of a {kinds.name_of(found)}")


def _new_class(name: str, bases: tuple[type, ...], names: dict[str, Any]) -> type:
    """A class of the solution's own, which must not pass itself off as data: what compares equal to everything would be
    right for every puzzle."""
    if (type(name), type(bases), type(names)) != (str, tuple, dict):
        raise TypeError("type() takes a name, a tuple and a dictionary")
    for base in bases:
        if not any(base is known for known in (object, *DATA, *_made)):
            raise RefusedError("make a class on the base of that one")
    for key in names:
        if type(key) is not str or key in _OF_DATA - {"__init__", "__doc__"} or (key[:1] == "_" and key not in _KEYS):
            raise RefusedError(f"make a class with an attribute {key!r}")
    made = type(name, bases, {**names, "__module__": "<solution>"})
    _made.append(made)
    return made


def is_made(kind: type) -> bool:
    """Whether it is a class of the solution's own."""
    return any(kind is one for one in _made)


def throw(thing: Any, *args: Any) -> Any:
    """What `thing.throw(*args)` is to the solution's code: a way to raise. Nothing of it can catch what flies."""
    if type(thing) is not GeneratorType or not any(type(one) is View for one in args[:1]):
        return thing.throw(*args)
    error = args[0]
    if len(args) > 1:
        raise RefusedError("throw anything beside an exception of the puzzle's")
    if isinstance(bare(error), type) and BaseException in kinds.mro_of(bare(error)):
        error = error()
    return thing.throw(bare(error))


# ------------------------------------------------------------------------------------------------ parts of modules


def cmp_to_key(mycmp: Callable[[Any, Any], int]) -> Callable[[Any], Any]:
    """As in functools, for sorting: what is compared with the keys by the puzzle would be whatever they like."""

    def compare(one: Any, two: Any) -> int:
        frame: FrameType | None = _frame(1)
        while frame is not None and frame.f_globals.get("__name__") != "<solution>":
            if kinds.is_home(frame.f_globals):
                raise RefusedError("have the puzzle compare by a function of its own")
            frame = frame.f_back
        return mycmp(one, two)

    return _cmp_to_key(compare)  # type: ignore[no-any-return]


# What stands for a part. Flags are numbers, since to combine them would add to their enumeration.
_INSTEAD: list[tuple[Any, Any]] = [(_cmp_to_key, cmp_to_key)]
_INSTEAD += [(flag, int(flag)) for flag in (re.IGNORECASE, re.MULTILINE, re.DOTALL)]


def instead(thing: Any) -> Any:
    """What the solution gets for a part of the library: nearly always that itself."""
    return next((other for part, other in _INSTEAD if thing is part), thing)


def part_of(module: str) -> Part:
    """What stands for a module. Raises RefusedError if a solution may use nothing of it."""
    if module not in MODULES:
        raise RefusedError(f"import {module!r}")
    part = Part()
    part.__dict__.update(parts(module))
    return part


def parts(module: str) -> dict[str, Any]:
    """What a solution may use of a module."""
    found = {name: instead(part) for name, part in _originals(module)}
    return {name: part for name, part in found.items() if not isinstance(part, ModuleType)}


@functools.cache
def _originals(module: str) -> list[tuple[str, Any]]:
    everything = vars(importlib.import_module(module))
    names = MODULES[module].split() or [n for n in everything if not n.startswith("_")]
    return [(name, everything[name]) for name in names if name in everything]


def remember() -> None:
    """Before the puzzle runs: what it puts into a module is not the library's to give."""
    for module in MODULES:
        _originals(module)


def is_part(thing: Any) -> bool:
    """Whether it is a built-in function or a part of a module that a solution may use."""
    if kinds.is_of_puzzle(type(thing)):  # to ask such an object for anything would run its class's code
        return False
    if any(thing is safe for safe in SAFE_BUILTINS.values()) or any(thing is part for part, _ in _INSTEAD):
        return True
    home = getattr(thing, "__module__", None) or ""
    homes = [home, home.removeprefix("_")] if isinstance(home, str) else []
    return any(thing is part for name in homes if name in MODULES for _, part in _originals(name))
