"""What `dir` returns for a program's own objects: names that the program gave them (S3).

The special names that Python adds differ between versions. So on the second machine none is listed, and on the first
one only those that the program may ask for. Output that depends on them differs between the two runs.
"""

import types
from collections.abc import Callable, Iterable
from typing import Any

from .introspection import is_own, kind_of
from .name_lists import ASKED, hidden

_BASES = type.__dict__["__mro__"].__get__
_MODULE_OF, _DICT_OF = type.__dict__["__module__"].__get__, type.__dict__["__dict__"].__get__
_PLAIN = ("abc", "typing")  # modules whose classes add special names only, and those in _ADDED
_ADDED = ("_abc_impl", "_is_protocol", "_is_runtime_protocol", "_non_callable_proto_members_")


def names(thing: Any, found: Iterable[str], second: bool, note: Callable[[str], None]) -> list[str]:
    """The names that `dir` has `found`, as the program gets them; calls `note` for a foreign object."""
    kind = kind_of(thing)
    if issubclass(type(thing), types.ModuleType) or not _is_known(kind):
        note("it uses dir: which names there are differs between versions")
        return list(found)
    if second:
        return [name for name in found if not _is_special(name) and name not in _ADDED]
    return [name for name in found if not hidden(name) and name not in ASKED]


def _is_known(kind: Any) -> bool:
    """Whether a class is the program's and has its names from the program, `object` and abstract classes."""
    if type(kind) is not type and _MODULE_OF(type(kind)) not in (*_PLAIN, "__main__"):
        return False
    bases = _BASES(kind)
    return is_own(kind) and all(is_own(one) or one is object or _MODULE_OF(one) in _PLAIN for one in bases)


def _is_special(name: str) -> bool:
    return name[:2] == "__" == name[-2:]
