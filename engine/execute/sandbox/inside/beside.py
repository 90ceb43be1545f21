"""The world of a solution whose code runs in the puzzle's interpreter: it can reach nothing that the puzzle keeps.

The code gets a namespace of its own, built of three things:

* built-in functions and parts of the standard library, none of which keeps a state that it could change;
* copies of the puzzle's plain data;
* views of the puzzle's functions, classes and objects. A `View` gives plain data as copies and everything else as
  further views, and takes nothing but plain data, views and the puzzle's own objects: code of the solution never gets
  into the puzzle's functions that way, and no object that the puzzle keeps gets out to the code. It offers no way to
  change what it shows, but to call the puzzle's functions.

When the value is complete and none of the solution's code is left in it, the views in it become what they show, so that
`Point(1, 2)` is a Point. In a lambda they stay views. What remains in reach of the solution's code, then, is what the
puzzle itself hands to it as arguments of a call. `policy` refuses texts that could step outside.
"""

import builtins
import importlib
import operator
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from types import FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from . import value
from .policy import HOLDS, RefusedError

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
_PUZZLE = "__main__"  # where the puzzle's classes and functions say they are from
_DATA = (bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, range, slice)
_OF_DATA = frozenset(name for kind in _DATA for name in dir(kind))  # the names by which data is used
_CACHED = type(lru_cache(len))

_module_of = type.__dict__["__module__"].__get__
_mro_of = type.__dict__["__mro__"].__get__


class Part:
    """Stands for a module of the standard library: has what a solution may use of it."""


class View:
    """Shows something of the puzzle's."""

    __slots__ = ("_shown",)

    def __init__(self, thing: Any) -> None:
        self._shown = thing

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = self._shown(*map(_give, args), **{name: _give(thing) for name, thing in kwargs.items()})
        return map(show, made) if type(made) is GeneratorType else show(made)

    def __getattr__(self, name: str) -> Any:
        if name.startswith(HOLDS):
            raise AttributeError(name)
        return show(getattr(self._shown, name))

    def __iter__(self) -> Iterator[Any]:
        return map(show, iter(self._shown))

    def __bool__(self) -> bool:
        return bool(self._shown)

    def __hash__(self) -> int:
        return hash(self._shown)

    def __eq__(self, other: object) -> Any:
        return show(self._shown == _give(other))

    def __instancecheck__(self, thing: Any) -> bool:
        return isinstance(_give(thing), self._shown)


def _operator(name: str) -> Callable[..., Any]:
    function: Any = getattr(builtins, name, None) or getattr(operator, f"__{name}__")
    return lambda view, *others: show(function(view._shown, *map(_give, others)))


_OPERATORS = """len abs int float str repr next index neg pos invert getitem contains add sub mul truediv floordiv mod
    pow matmul and or xor lshift rshift lt le gt ge"""
for _name in _OPERATORS.split():
    setattr(View, f"__{_name}__", _operator(_name))


def _bare(thing: Any) -> Any:
    return thing._shown if type(thing) is View else thing


def show(thing: Any) -> Any:
    """What the solution's code gets for a thing of the puzzle's. Raises RefusedError if that can not be shown."""
    if thing is NotImplemented:
        return thing
    try:
        return value.copy(thing, _is_shown, lambda part: part if _is_frozen(part) else View(part))
    except value.NotPlainError as error:
        raise RefusedError(f"get a {error} from the puzzle") from None


def _is_shown(thing: Any) -> bool:
    return _is_frozen(thing) or _is_own(thing)


def _is_frozen(thing: Any) -> bool:
    """Whether it is a value of the library's that nobody can change, with nothing in it that somebody could."""
    kind = type(thing)
    if kind is Fraction:
        return type(thing.numerator) is type(thing.denominator) is int
    if kind is re.Pattern:
        return type(thing.pattern) in (str, bytes)
    return kind in (Decimal, date, timedelta) or (kind in (datetime, time) and thing.tzinfo is None)


def _give(thing: Any) -> Any:
    """What the puzzle gets for a thing of the solution's. Raises RefusedError if that may be code."""
    try:
        return value.copy(thing, lambda part: type(part) is View or _is_shown(part), _bare)
    except value.NotPlainError as error:
        raise RefusedError(
            f"give a {error} to the puzzle's functions, only data and what it has of the puzzle"
        ) from None


def _is_own(thing: Any) -> bool:
    """Whether it is a function or a class of the puzzle's, or an object that only the puzzle's functions can change:
    its class stands on no other of the library than data, exceptions, enumerations and abstract ones."""
    kind = type(thing)
    if kind is MethodType:
        return _is_own(thing.__func__) and _is_own(thing.__self__)
    if kind is _CACHED:
        return _is_own(thing.__wrapped__)
    if kind is FunctionType:
        return bool(thing.__module__ == _PUZZLE)
    if isinstance(thing, type):
        return bool(_module_of(thing) == _PUZZLE)
    return bool(_module_of(kind) == _PUZZLE) and all(map(_is_tame, _mro_of(kind)))


def _is_tame(kind: type) -> bool:
    if _module_of(kind) == "builtins":
        return kind in (object, *_DATA) or issubclass(kind, BaseException)
    return _module_of(kind) in (_PUZZLE, "enum", "abc", "typing", "numbers", "collections.abc")


def finish(made: Any) -> Any:
    """The value as the puzzle gets it: without views if it has none of the solution's code in it."""
    if made is Kind:
        return type
    try:
        return value.copy(made, lambda part: type(part) is View or _is_frozen(part), _bare)
    except value.NotPlainError:
        return made


# ------------------------------------------------------------------------------------------------ the namespace


class _Names(type):
    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, type)


class Kind(metaclass=_Names):
    """What `type` is to the solution's code: it tells the type of a value, and makes a class."""

    def __new__(cls, *args: Any) -> Any:
        if len(args) == 3:
            return _new_class(*args)
        if len(args) != 1:
            raise TypeError("type() takes 1 or 3 arguments")
        if type(args[0]) is View:
            return show(type(_bare(args[0])))
        found = type(args[0])
        return Kind if issubclass(found, type) else found  # a metaclass, as `type` itself, makes classes of any kind


Kind.__name__ = "type"
_made: list[type] = []


def _new_class(name: str, bases: tuple[type, ...], names: dict[str, Any]) -> type:
    """A class of the solution's own, which must not pass itself off as data: what compares equal to everything would be
    right for every puzzle."""
    if (type(name), type(bases), type(names)) != (str, tuple, dict):
        raise TypeError("type() takes a name, a tuple and a dictionary")
    for base in bases:
        if not any(base is known for known in (object, *_DATA, *_made)):
            raise RefusedError("make a class on the base of that one")
    for key in names:
        if type(key) is not str or key in _OF_DATA - {"__init__", "__doc__"} or (key[:1] == "_" and key not in _KEYS):
            raise RefusedError(f"make a class with an attribute {key!r}")
    made = type(name, bases, {**names, "__module__": "<solution>"})
    _made.append(made)
    return made


_KEYS = ("__call__", "__init__", "__doc__")


def _import(name: str, *_: Any) -> Part:
    if name not in MODULES:
        raise RefusedError(f"import {name!r}")
    return _part(name)


SAFE_BUILTINS: dict[str, Any] = {name: getattr(builtins, name) for name in _BUILTINS.split()}
_OWN: dict[str, Any] = {**SAFE_BUILTINS, "type": Kind, "__import__": _import}


def namespace(names: set[str], bound: set[str], puzzle: dict[str, Any]) -> dict[str, Any]:
    """What the solution's code sees: of the puzzle's namespace, the `names` that it uses; `bound` are its own. Raises
    RefusedError for a name that can not be shown, NameError for one that nobody has."""
    scope: dict[str, Any] = {"__name__": "<solution>", "__builtins__": dict(_OWN)}
    for name in names & puzzle.keys():
        scope[name] = _shown(name, puzzle[name])
    for name in names - puzzle.keys() - _OWN.keys() - bound:
        if hasattr(builtins, name):
            raise RefusedError(f"use {name!r}")
        raise NameError(f"name {name!r} is not defined")
    return scope


def _shown(name: str, thing: Any) -> Any:
    if isinstance(thing, ModuleType) and thing.__name__ in MODULES:
        return _part(thing.__name__)
    if any(thing is safe for safe in SAFE_BUILTINS.values()) or _is_allowed(thing):
        return thing
    if thing is type:
        return Kind
    try:
        return show(thing)
    except RefusedError:
        raise RefusedError(f"use the puzzle's {name!r}") from None


def _part(module: str) -> Part:
    part = Part()
    part.__dict__.update(parts(module))
    return part


def parts(module: str) -> dict[str, Any]:
    """What a solution may use of a module."""
    everything = vars(importlib.import_module(module))
    names = MODULES[module].split() or [n for n in everything if not n.startswith("_")]
    found = {name: everything[name] for name in names if name in everything}
    return {name: part for name, part in found.items() if not isinstance(part, ModuleType)}


def _is_allowed(thing: Any) -> bool:
    home = getattr(thing, "__module__", None) or ""
    homes = [home, home.removeprefix("_")] if isinstance(home, str) else []
    return any(thing is part for name in homes if name in MODULES for part in parts(name).values())
