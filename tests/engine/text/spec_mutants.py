"""Every small change of a value, driven by its declared types: for tests that something depends on every field.

`mutants(spec)` changes one thing at a time: a literal to each of its other values, a number by one either way, a string
by a suffix, a switch to its opposite, an optional value to none or to a sample, a struct to another of its union; and
each tuple by removing, doubling or swapping elements. The numbers stay within the declared limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from antemill.engine.rules import spec as rules
from antemill.engine.rules.spec import All, AnyOf, Condition, GameSpec, InProgress, NoAction

# What an absent optional value becomes, by the name of its field.
SAMPLES: dict[str, Any] = {
    "cost": rules.Cost(1),
    "odds": (1, 2),
    "cap": 3,
    "winner": "alice",
    "trigger": rules.PotIs(">=", 1),
}


class Mutant(NamedTuple):
    """A changed value, where the change is, what it is, and the structs around it from the outside in."""

    path: str
    change: str
    value: Any
    around: tuple[Struct, ...]


def mutants(spec: GameSpec) -> Iterator[Mutant]:
    """The spec with one change, for every change; `value` is the changed spec."""
    return _struct(spec, "", ())


def _struct(value: Any, path: str, around: tuple[Struct, ...]) -> Iterator[Mutant]:
    hints = get_type_hints(type(value), include_extras=True)
    for field in value.__struct_fields__:
        for mutant in _mutants(getattr(value, field), hints[field], f"{path}.{field}", (*around, value)):
            yield mutant._replace(value=replace(value, **{field: mutant.value}))


def _mutants(value: Any, hint: Any, path: str, around: tuple[Struct, ...]) -> Iterator[Mutant]:
    hint, meta = _bare(hint)
    if get_origin(hint) is Literal:
        yield from (Mutant(path, f"{value} to {other}", other, around) for other in get_args(hint) if other != value)
        return
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if NoneType in options:
        field = path.rpartition(".")[2]
        yield Mutant(path, "none or some", SAMPLES[field] if value is None else None, around)
        if value is None:
            return
        options = tuple(option for option in options if option is not NoneType)
        if len(options) == 1:
            yield from _mutants(value, options[0], path, around)
            return
    if isinstance(value, Struct):
        yield from _struct(value, path, around)
        yield from (Mutant(path, "other struct", other, around) for other in _others(value) if type(other) in options)
    elif isinstance(value, tuple):
        yield from _tuple(value, hint, path, around)
    elif isinstance(value, bool):
        yield Mutant(path, f"{value} to {not value}", not value, around)
    elif isinstance(value, int):
        low, high = (meta.ge, meta.le) if meta else (None, None)
        for other in (value - 1, value + 1):
            if (low is None or other >= low) and (high is None or other <= high):
                yield Mutant(path, f"{value} to {other}", other, around)
    else:
        assert isinstance(value, str), f"{path}: no way to change {value!r}"
        yield Mutant(path, "renamed", f"{value} x", around)


def _bare(hint: Any) -> tuple[Any, Meta | None]:
    """A hint without its annotation, and the limits of its annotation."""
    if get_origin(hint) is Annotated:
        inner, *extras = get_args(hint)
        return inner, next((extra for extra in extras if isinstance(extra, msgspec.Meta)), None)
    return hint, None


def _others(value: Struct) -> Iterator[Struct]:
    """Structs that may stand in the place of this one."""
    if isinstance(value, All | AnyOf):
        yield (AnyOf if isinstance(value, All) else All)(value.conditions)
    elif isinstance(value, get_args(Condition)):
        yield rules.Not(value)
        if not isinstance(value, InProgress):
            yield InProgress()
    elif isinstance(value, get_args(rules.Step)):
        yield from (other for other in (NoAction(), rules.Steal("winner")) if type(other) is not type(value))


def _tuple(value: tuple[Any, ...], hint: Any, path: str, around: tuple[Struct, ...]) -> Iterator[Mutant]:
    kinds = get_args(hint)
    homogeneous = kinds[-1] is Ellipsis
    for i, item in enumerate(value):
        here = f"{path}[{i}]"
        for mutant in _mutants(item, kinds[0] if homogeneous else kinds[i], here, around):
            yield mutant._replace(value=(*value[:i], mutant.value, *value[i + 1 :]))
        if not homogeneous:
            continue
        yield Mutant(here, "removed", value[:i] + value[i + 1 :], around)
        yield Mutant(here, "doubled", (*value[:i], item, *value[i:]), around)
        if i + 1 < len(value) and value[i + 1] != item:
            yield Mutant(here, "swapped", (*value[:i], value[i + 1], item, *value[i + 2 :]), around)
