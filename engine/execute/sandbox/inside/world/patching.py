"""Methods of types that are written in C, replaced in the types themselves."""

import gc
from typing import Any


def replace(kind: type, methods: dict[str, Any]) -> None:
    """Replace methods of a type that is written in C. Before `blind` only."""
    _put(kind, _names_of(kind), methods)


def _names_of(kind: type) -> dict[str, Any]:
    (names,) = (found for found in gc.get_referents(kind.__dict__) if isinstance(found, dict))
    return names


_ABSTRACT = type.__dict__["__abstractmethods__"]


def _put(kind: type, names: dict[str, Any], methods: dict[str, Any]) -> None:
    """Change a type's dictionary. Setting an attribute makes Python notice; clearing its cache of all types instead
    would slow down every fork."""
    names.update(methods)
    _ABSTRACT.__set__(kind, ())
    _ABSTRACT.__delete__(kind)
