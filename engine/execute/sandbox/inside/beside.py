"""The world of a solution whose code runs in the puzzle's interpreter: it can reach nothing that the puzzle keeps.

The code gets a namespace of its own, built of three things:

* built-in functions and parts of the standard library, none of which keeps a state that it could change;
* copies of the puzzle's plain data, as it is when its name is read;
* views of the puzzle's functions, classes and objects (see `views`). A `View` gives plain data as copies and everything
  else as further views, and takes nothing but plain data, views and the puzzle's own objects: code of the solution
  never gets into the puzzle's functions that way, and no object that the puzzle keeps gets out to the code. It offers
  no way to change what it shows, but to call the puzzle's functions.

When the value is complete and none of the solution's code is left in it, the views in it become what they show, so that
`Point(1, 2)` is a Point. In a lambda they stay views. What remains in reach of the solution's code, then, is what the
puzzle itself hands to it as arguments of a call. `policy` refuses texts that could step outside.
"""

import builtins
import importlib
import marshal
from types import ModuleType
from typing import Any

from . import value, views
from .policy import RefusedError
from .views import DATA, View, bare, is_frozen, show

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
_OF_DATA = frozenset(name for kind in DATA for name in dir(kind))  # the names by which data is used


class Part:
    """Stands for a module of the standard library: has what a solution may use of it."""


def finish(made: Any) -> Any:
    """The value as the puzzle gets it: without views if it has none of the solution's code in it."""
    if made is Kind:
        return type
    try:
        return value.copy(made, lambda part: type(part) is View or is_frozen(part), bare)
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
            return show(type(bare(args[0])))
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
        if not any(base is known for known in (object, *DATA, *_made)):
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


class _Scope(dict[str, Any]):
    """The solution's own names; the puzzle's are looked up when they are read, and shown as they are then."""

    def __init__(self, names: set[str], puzzle: dict[str, Any]) -> None:
        super().__init__({"__name__": "<solution>", "__builtins__": dict(_OWN)})
        self._names, self._puzzle = names, puzzle
        self._copies: dict[str, tuple[bytes, Any]] = {}  # by name: what it was, and the copy of that

    def __missing__(self, name: str) -> Any:
        if name not in self._names or name not in self._puzzle:
            raise KeyError(name)
        thing = self._puzzle[name]
        if type(thing) not in DATA:
            return _shown(name, thing)
        try:
            was = marshal.dumps(thing, 2)
        except ValueError:  # there is more in it than data
            return _shown(name, thing)
        if name not in self._copies or self._copies[name][0] != was:
            self._copies[name] = was, _shown(name, thing)
        return self._copies[name][1]


def namespace(names: set[str], bound: set[str], puzzle: dict[str, Any]) -> dict[str, Any]:
    """What the solution's code sees: of the puzzle's namespace, the `names` that it uses; `bound` are its own. Raises
    RefusedError for a name that can not be shown, NameError for one that nobody has."""
    views.enter(puzzle)
    scope = _Scope(names & puzzle.keys(), puzzle)
    for name in names & puzzle.keys():
        _shown(name, puzzle[name])
    for name in names - puzzle.keys() - _OWN.keys() - bound:
        if hasattr(builtins, name):
            raise RefusedError(f"use {name!r}")
        raise NameError(f"name {name!r} is not defined")
    return scope


def _shown(name: str, thing: Any) -> Any:
    if type(thing) is ModuleType and thing.__name__ in MODULES:
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
    if views.is_of_puzzle(type(thing)):  # to ask such an object for anything would run its class's code
        return False
    home = getattr(thing, "__module__", None) or ""
    homes = [home, home.removeprefix("_")] if isinstance(home, str) else []
    return any(thing is part for name in homes if name in MODULES for part in parts(name).values())
