"""Explains why a TOML file does not fit a struct: the key, the allowed values, a likely correction and the line.

sentence, line = explain(error, tomllib.loads(text), Config, text)
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import inspect

_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}
Path = tuple[str | int, ...]


def meant(word: str, known: Iterable[str]) -> str:
    """`; did you mean "..."?` for a similar known word; "" if there is none."""
    found = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f'; did you mean "{found[0]}"?' if found else ""


def none_of(key: str, value: str, allowed: Iterable[str]) -> str:
    """The mistake of an entry with an unknown name: `has protocol = "x", which is not one of a, b.`"""
    known = list(allowed)
    return f'has {key} = "{value}", which is not one of {", ".join(known)}{meant(value, known) or "."}'


def explain(error: Exception, content: Mapping[str, Any], shape: type, text: str) -> tuple[str, int | None]:
    """The mistake as a sentence without a full stop, and its line (from 1), or None if it cannot be found."""
    reason, _, where = str(error).partition(" - at ")
    path = _path(where.strip("`"), str(error), content, shape)
    kind = _kind(inspect.type_info(shape), path)
    place = f" in [{'.'.join(map(str, path))}]" if path else ""
    if unknown := re.search(r"unknown field `(.+)`", reason):
        known = [field.encode_name for field in kind.fields] if isinstance(kind, inspect.StructType) else []
        hint = meant(unknown[1], known) or f"; known are {', '.join(known)}"
        return f'unknown key "{unknown[1]}"{place}{hint}', line_of(text, (*path, unknown[1]))
    if missing := re.search(r"missing required field `(.+)`", reason):
        return f'the key "{missing[1]}" is missing{place}', line_of(text, path)
    if not path:
        table = re.match(r"\[([^\]]+)\] ", reason)  # raised by the struct's own check
        return reason.rstrip("."), line_of(text, _keys(table[1])) if table else None
    return f"{_place(path)} is wrong: {_value(reason, kind)}", line_of(text, path)


def _place(path: Path) -> str:
    """The name of a value: `"schedule" in [tournament]`, `entry 2 of "games" in [tournament]`."""
    depth = next((i for i, step in enumerate(path) if isinstance(step, int)), len(path))
    entry = "".join(f"entry {int(step) + 1} of " for step in reversed(path[depth:]))
    table = f" in [{'.'.join(map(str, path[: depth - 1]))}]" if depth > 1 else ""
    return f'{entry}"{path[depth - 1]}"{table}'


def _value(reason: str, kind: inspect.Type) -> str:
    """The allowed values."""
    allowed = _literals(kind)
    wrong = re.search(r"[Ii]nvalid enum value (.+)", reason)
    if wrong and allowed:
        near = meant(wrong[1].strip("'\""), [value for value in allowed if isinstance(value, str)])
        return f"{wrong[1]} is not one of {', '.join(map(repr, allowed))}{near}"
    words = re.sub(r"`([\w| ]+)`", lambda found: " or ".join(_word(name) for name in found[1].split(" | ")), reason)
    return f"{words[:1].lower()}{words[1:]}"


def _word(name: str) -> str:
    return _WORDS.get(name, f"`{name}`")


def _literals(kind: inspect.Type) -> list[Any]:
    if isinstance(kind, inspect.LiteralType):
        return list(kind.values)
    if isinstance(kind, inspect.EnumType):
        return [member.value for member in kind.cls]
    return [value for part in kind.types for value in _literals(part)] if isinstance(kind, inspect.UnionType) else []


def _kind(kind: inspect.Type, path: Path) -> inspect.Type:
    """The type that is expected at a path."""
    for step in path:
        parts = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
        kind = next((found for part in parts if (found := _step(part, step)) is not None), inspect.AnyType())
    parts = kind.types if isinstance(kind, inspect.UnionType) else ()
    return next((part for part in parts if isinstance(part, inspect.StructType)), kind)


def _step(kind: inspect.Type, step: str | int) -> inspect.Type | None:
    if isinstance(kind, inspect.StructType):
        return next((field.type for field in kind.fields if field.encode_name == step), None)
    if isinstance(kind, inspect.DictType):
        return kind.value_type
    if isinstance(kind, inspect.TupleType) and isinstance(step, int):
        return kind.item_types[step] if step < len(kind.item_types) else None
    if isinstance(kind, inspect.VarTupleType | inspect.ListType):
        return kind.item_type
    return kind.type if hasattr(kind, "type") and isinstance(kind, inspect.Metadata) else None


def _path(where: str, error: str, content: Mapping[str, Any], shape: type) -> Path:
    """`$.players[...].bot` with the dictionary's key in place of the dots."""
    path: list[str | int] = []
    for name, index in re.findall(r"\.([^.\[\]]+)|\[(\.\.\.|\d+)\]", where):
        if name:
            path.append(name)
        elif index.isdigit():
            path.append(int(index))
        else:
            path.append(_guilty(path, error, content, shape))
    return tuple(path)


def _guilty(path: list[str | int], error: str, content: Mapping[str, Any], shape: type) -> str:
    """The key of the table at a path that alone makes the same mistake."""
    table: Any = content
    for step in path:
        table = table[step]
    for key in table:
        try:
            msgspec.convert(_with(content, path, {key: table[key]}), shape)
        except msgspec.ValidationError as found:
            if str(found) == error:
                return str(key)
    return "..."


def _with(content: Any, path: list[str | int], table: Any) -> Any:
    """The content with another table at a path of keys."""
    return table if not path else {**content, path[0]: _with(content[path[0]], path[1:], table)}


def line_of(text: str, path: Path) -> int | None:
    """The line of a key, or of the nearest table that contains it; None if no part of the path is found."""
    best, found = 0, None
    header: Path = ()
    for number, line in enumerate(text.splitlines(), 1):
        if table := re.match(r"\s*\[\[?([^\[\]]+)\]", line):
            here = header = _keys(table[1])
        elif key := re.match(r"\s*([^=#\[\]{},]+?)\s*=", line):
            here = (*header, *_keys(key[1]))
        else:
            continue
        common = min(len(here), len(path))  # for a table that is wrong as a whole, any part of it gives the line
        if best < common and here[:common] == path[:common]:
            best, found = common, number
    return found


def _keys(dotted: str) -> Path:
    """The parts of a key, bare or quoted."""
    try:
        here: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return tuple(dotted.split("."))
    keys: list[str | int] = []
    while isinstance(here, dict) and here:
        key, here = next(iter(here.items()))
        keys.append(key)
    return tuple(keys)
