"""What a solution's code gets of Python and its library in the interpreter in which the puzzle will run.

Nothing here keeps state that the puzzle shares, and nothing makes an object that looks like data and is not.
"""

import builtins
import collections
import functools
import importlib
import re
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FrameType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from . import inspection
from .inspection import DATA, ERRORS, is_any
from .text_policy import RefusedError

_BUILTINS = """abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format
    frozenset hash hex int isinstance issubclass iter len list map max min object oct ord pow range repr
    reversed round set slice sorted str sum tuple zip Ellipsis NotImplemented ArithmeticError AssertionError
    AttributeError Exception IndexError KeyError LookupError NameError NotImplementedError OverflowError
    RecursionError RuntimeError TypeError ValueError ZeroDivisionError"""
MODULES: dict[str, str] = {  # module: the attributes that a solution may use, all public ones if empty
    **dict.fromkeys(["binascii", "bisect", "cmath", "datetime", "heapq", "itertools", "math", "struct"], ""),
    **dict.fromkeys(["unicodedata", "zlib"], ""),
    "base64": """b64encode b64decode standard_b64encode standard_b64decode urlsafe_b64encode urlsafe_b64decode b32encode
        b32decode b16encode b16decode a85encode a85decode b85encode b85decode encodebytes decodebytes""",
    "textwrap": "wrap fill dedent indent shorten",
    "collections": "Counter OrderedDict defaultdict deque",
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
_OF_DATA = frozenset(name for kind in DATA for name in dir(kind))  # the methods and operators of data
_KEYS = ("__call__", "__init__", "__doc__")  # what a class of the solution's may define beside public names
_frame: Callable[[int], FrameType] = sys._getframe
_cmp_to_key: Callable[[Any], Any] = functools.cmp_to_key
_defaultdict: Any = collections.defaultdict


class Part:
    """Replaces a module of the standard library, with the attributes that a solution may use."""


# ------------------------------------------------------------------------------------------------ types and classes


class _Names(type):
    def __instancecheck__(cls, thing: Any) -> bool:
        return inspection.is_class(thing)


class Kind(metaclass=_Names):
    """`type` as the solution's code sees it: returns the type of a value, or makes a class."""

    def __new__(cls, *args: Any) -> Any:
        if len(args) == 3:
            return _new_class(*args)
        if len(args) != 1:
            raise TypeError("type() takes 1 or 3 arguments")
        return _kind_of(args[0])


Kind.__name__ = "type"
_made: list[type] = []
_SAMPLES: tuple[Any, ...] = (None, ..., NotImplemented, {}.items(), {}.keys(), {}.values(), re.compile(""))
_SAMPLES = (*_SAMPLES, *map(iter, ("", "é", b"", bytearray(), [], (), range(0), range(2**70), {}, set())))
_SAMPLES = (*_SAMPLES, iter({}.items()), iter({}.values()), reversed([]), reversed(()))
_SAMPLES = (*_SAMPLES, re.match("", ""), "".join, "".__len__, str.join, str.__len__, functools.partial(len))
_KNOWN = (*DATA, *map(type, _SAMPLES), FunctionType, GeneratorType, MethodType, BuiltinFunctionType)


def _kind_of(thing: Any) -> Any:
    """The type of a thing, if calling that type only makes another such thing.

    (Calling the type of `list[int]`, for example, sets an attribute on whatever a function returns.)
    """
    found = type(thing)
    if inspection.is_class(thing):
        return Kind  # a metaclass, `type` included, makes classes of any kind
    if is_any(found, (*_KNOWN, *ERRORS, *_made)) or inspection.is_of_puzzle(found) or place_of(found) is not None:
        return _instead(found)
    raise RefusedError(f"ask for the type of a {inspection.name_of(found)}")


def _new_class(name: str, bases: tuple[type, ...], names: dict[str, Any]) -> type:
    """A class of the solution's own. It must not look like data: an object equal to everything solves every puzzle."""
    if (type(name), type(bases), type(names)) != (str, tuple, dict):
        raise TypeError("type() takes a name, a tuple and a dictionary")
    for base in bases:
        if not is_any(base, (object, *DATA, *_made)):
            raise RefusedError("make a class on the base of that one")
    for key in names:
        if type(key) is not str or key in _OF_DATA - {"__init__", "__doc__"} or (key[:1] == "_" and key not in _KEYS):
            raise RefusedError(f"make a class with an attribute {key!r}")
    made = type(name, bases, {**names, "__module__": "<solution>"})
    _made.append(made)
    return made


# ------------------------------------------------------------------------------------------------ parts of modules


def cmp_to_key(mycmp: Callable[[Any, Any], int]) -> Callable[[Any], Any]:
    """As in functools, for sorting by the solution itself: keys that the puzzle compares could give any answer."""

    return _cmp_to_key(_for_itself(mycmp, "have the puzzle compare by a function of its own"))  # type: ignore[no-any-return]


def defaultdict(default_factory: Any = None, *args: Any, **named: Any) -> dict[Any, Any]:
    """As in collections. If the puzzle's reads made items by a function of the solution's, every key would exist."""
    if not (default_factory is None or is_any(default_factory, DATA)):
        default_factory = _for_itself(default_factory, "have the puzzle make items by a function of its own")
    return _defaultdict(default_factory, *args, **named)  # type: ignore[no-any-return]


def _for_itself(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """The function, for use by the solution's code. A call by the puzzle raises RefusedError."""
    if not callable(function):
        return function

    def call(*args: Any) -> Any:
        frame: FrameType | None = _frame(1)
        while frame is not None and frame.f_globals.get("__name__") != "<solution>":
            if inspection.is_home(frame.f_globals):
                raise RefusedError(what)
            frame = frame.f_back
        return function(*args)

    return call


def next_of(iterator: Any, *default: Any) -> Any:
    """`next`, except that the end raises RuntimeError: StopIteration would end the puzzle's `all(map(...))` as true."""
    try:
        return next(iterator, *default)
    except StopIteration:
        raise RuntimeError("next() of what is at its end") from None


# Replacements of parts. Flags are numbers, since combining them would add members to their enumeration.
_INSTEAD: list[tuple[Any, Any]] = [(_cmp_to_key, cmp_to_key), (_defaultdict, defaultdict)]
_INSTEAD += [(flag, int(flag)) for flag in (re.IGNORECASE, re.MULTILINE, re.DOTALL)]
SAFE_BUILTINS: dict[str, Any] = {name: getattr(builtins, name) for name in _BUILTINS.split()} | {"next": next_of}
_modules: dict[str, ModuleType] = {}
_parts: dict[str, dict[str, Any]] = {}
_places: dict[int, tuple[str, str]] = {}


def _instead(part: Any) -> Any:
    return next((other for one, other in _INSTEAD if one is part), part)


def remember() -> None:
    """Record the library's parts before the puzzle runs, so that what a puzzle puts into a module is not among them."""
    for module in MODULES:
        parts(module)


def parts(module: str) -> dict[str, Any]:
    """What a solution may use of a module. Raises RefusedError if that is nothing."""
    if module not in MODULES:
        raise RefusedError(f"import {module!r}")
    if module not in _parts:
        _modules[module] = importlib.import_module(module)
        everything = vars(_modules[module])
        names = MODULES[module].split() or [name for name in everything if not name.startswith("_")]
        known = {name: everything[name] for name in names if name in everything}
        known = {name: part for name, part in known.items() if type(part) is not ModuleType}
        _places.update({id(part): (module, name) for name, part in known.items()})
        _parts[module] = {name: _instead(part) for name, part in known.items()}
    return _parts[module]


def part_of(module: str, name: str = "") -> Any:
    """The stand-in of a module, or one thing in it. Raises RefusedError, or AttributeError if the thing is missing."""
    found = parts(module)
    if name and name not in found:
        raise AttributeError(f"module {module!r} has no attribute {name!r} here")
    part = Part()
    part.__dict__.update(found)
    return found[name] if name else part


def name_of(module: ModuleType) -> str:
    """The name of a module of which a solution may use something; empty for any other."""
    return next((name for name, one in _modules.items() if one is module), "")


def place_of(thing: Any) -> tuple[str, str] | None:
    """The module and name of a part that a solution may use; None for anything else. (Parts are never freed, so an
    address identifies one.)"""
    return _places.get(id(thing))
