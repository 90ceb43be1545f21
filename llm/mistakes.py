"""Explains why a TOML file does not fit a struct: msgspec's own sentence and path, and the nearest known key."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

import msgspec


def meant(word: str, known: Iterable[str]) -> str:
    """`; did you mean "..."?` for a similar known word; "" if there is none."""
    found = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f'; did you mean "{found[0]}"?' if found else ""


def explain(error: Exception, shape: type) -> tuple[str, tuple[str, ...]]:
    """The mistake as a sentence without a full stop, and the path to its key as far as msgspec names it."""
    reason, _, where = str(error).partition(" - at ")
    place = where.strip("`").removeprefix("$").removeprefix(".")
    path = tuple(filter(None, re.sub(r"\[[^\]]*\]", "", place).split(".")))
    unknown = re.search(r"unknown field `(.+)`", reason)
    if table := re.match(r"\[([^\]]+)\] ", reason):  # raised by the struct's own check
        path = tuple(table[1].split("."))
    parts = msgspec.json.schema_components([shape])[1].values()
    if unknown is None:
        if value := re.fullmatch(r"Invalid enum value '(.+)'", reason):
            forms = [form for part in parts for form in (part, *part.get("properties", {}).values())]
            reason += meant(value[1], {str(one) for form in forms for one in form.get("enum", ())}).rstrip("?")
        return (f'"{place}" is wrong: {reason[:1].lower()}{reason[1:]}' if place else reason).rstrip("."), path
    hint = meant(unknown[1], {key for part in parts for key in part.get("properties", ())})
    return f'unknown key "{unknown[1]}"{f" in [{place}]" if place else ""}{hint}', (*path, unknown[1])
