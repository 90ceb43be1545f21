"""Enumerations of the puzzle's: what their operators do, without running the library's code on them.

That code would add to a class: a value that is asked for, or a combination of flags, becomes a member.
"""

import enum
import operator
from typing import Any

from .kinds import find, mro_of, name_of, names_of
from .policy import RefusedError
from .views import bare, show, slots


def member_of(kind: type, wanted: Any) -> Any:
    """The member with a value. None is added, as a combination of flags would be."""
    for member in names_of(kind)["_value2member_map_"].values():
        if show(slots(member)["_value_"]) == wanted:
            return show(member)
    for member in names_of(kind)["_member_map_"].values():
        if show(slots(member)["_value_"]) == wanted:
            return show(member)
    if enum.Flag in mro_of(kind) or find(kind, "_missing_")[0] is not enum.Enum:
        raise RefusedError(f"add a member to the enumeration {name_of(kind)}")
    raise ValueError(f"{wanted!r} is not a valid {name_of(kind)}")


def of_class(kind: type, name: str, *others: Any) -> Any:
    """What the operators of an enumeration do."""
    members = show(names_of(kind)["_member_map_"])
    if name == "__getitem__":
        return members[others[0]]
    listed = [members[one] for one in names_of(kind)["_member_names_"]]
    if name in ("__iter__", "__reversed__"):
        return iter(listed if name == "__iter__" else listed[::-1])
    if name == "__contains__":
        return others[0] in members.values()
    return {"__len__": len(listed), "__bool__": True, "__repr__": f"<enum {name_of(kind)!r}>"}[name]


def of_member(member: Any, name: str, *others: Any) -> Any:
    """What the operators of a member of an enumeration do."""
    kind, label, number = type(member), slots(member)["_name_"], show(slots(member)["_value_"])
    if name == "__hash__":
        return hash(label)
    if name in ("__str__", "__format__"):
        return f"{name_of(kind)}.{label}"
    if name == "__repr__":
        return f"<{name_of(kind)}.{label}: {number!r}>"
    if name == "__bool__":
        return bool(number)
    if enum.Flag in mro_of(kind) and name == "__invert__":
        return _inverted(kind, number)
    if enum.Flag in mro_of(kind) and len(others) == 1 and type(bare(others[0])) is kind:
        other = slots(bare(others[0]))["_value_"]
        if name == "__contains__":
            return other & number == other
        plain = name.strip("_").removeprefix("r")
        if plain in ("or", "and", "xor"):
            return member_of(kind, getattr(operator, f"__{plain}__")(number, other))
    raise RefusedError(f"use {name} of an enumeration")


def _inverted(kind: type, number: int) -> Any:
    """All other flags, if that is a member. Raises RefusedError for a class that keeps unknown bits."""
    if names_of(kind)["_boundary_"] not in (enum.STRICT, enum.CONFORM):
        raise RefusedError(f"invert the flags {name_of(kind)}")
    single = (show(slots(one)["_value_"]) for one in names_of(kind)["_member_map_"].values())
    known = 0
    for bit in single:
        known |= bit if bit & (bit - 1) == 0 else 0
    return member_of(kind, known & ~number)
