"""Checks single rows of a run's databases for damage, as far as their form shows it."""

from __future__ import annotations

import hashlib
import re
import zlib
from typing import Any

import msgspec

NUMBERS = ("fallbacks", "timeouts", "attempts", "seconds")
_DEAREST = 1e6  # dollars; an item with a higher cost is damaged


def described_whole(row: dict[str, Any]) -> bool:
    """Whether a row of the run's metadata can be read."""
    texts = all(isinstance(row[name], str) for name in ("name", "value"))
    return (
        texts
        and encodes(row)
        and (row["name"] not in ("total", "about") or re.fullmatch("[0-9]{1,18}", row["value"]) is not None)
    )


def planned_whole(item: dict[str, Any]) -> bool:
    """Whether an item of the plan is undamaged, as far as its form shows."""
    try:
        item["key"].encode()
        msgspec.json.decode(item["data"], type=dict[str, Any])
        msgspec.json.decode(item["models"], type=tuple[str, ...])
    except (ValueError, TypeError, AttributeError, RecursionError):
        return False
    return item["status"] in ("planned", "done", "discarded")


def result_whole(item: dict[str, Any]) -> bool:
    """Whether a finished item can be read."""
    try:
        row = msgspec.json.decode(item["row"], type=dict[str, Any])
        if item["transcript"] is not None:
            msgspec.json.decode(zlib.decompress(item["transcript"]))
    except (ValueError, TypeError, zlib.error, RecursionError):
        return False
    return numbers_whole(item) and (bool(row) or item["status"] == "discarded")


def numbers_whole(item: dict[str, Any]) -> bool:
    """Whether the numbers of an item have their types."""
    counts = (item[name] for name in NUMBERS if name != "seconds")
    return is_cost(item["cost"]) and isinstance(item["seconds"], int | float) and all(type(n) is int for n in counts)


def is_cost(value: object) -> bool:
    """Whether a value can be an item's cost."""
    return isinstance(value, int | float) and 0 <= value < _DEAREST


def text_whole(row: dict[str, Any]) -> bool:
    """Whether a text has its hash."""
    text = row["text"]
    return isinstance(text, str) and row["hash"] == hashlib.sha256(text.encode(errors="replace")).hexdigest()


def call_whole(row: dict[str, Any], known: set[str]) -> bool:
    """Whether a call can be read, and its request be put together from the known texts."""
    try:
        request = msgspec.json.decode(row["request"])
        msgspec.json.decode(row["usage"], type=dict[str, Any])
    except (ValueError, TypeError, RecursionError):
        return False
    numbers = all(isinstance(row[name], int | float) for name in ("cost", "time", "seconds", "attempts"))
    good = row["status"] in ("ok", "failed") and row["finish"] in ("", "stop", "length", "refusal", "other")
    return numbers and good and encodes(row) and _references(request) <= known


def _references(value: object) -> set[str]:
    """The hashes of the texts in a request."""
    if isinstance(value, dict):
        return {str(value["$text"])} if set(value) == {"$text"} else set().union(*map(_references, value.values()))
    return set().union(*map(_references, value)) if isinstance(value, list) else set()


def encodes(row: dict[str, Any]) -> bool:
    """Whether all its text columns hold valid text."""
    try:
        return all(value.encode() is not None for value in row.values() if isinstance(value, str))
    except UnicodeEncodeError:
        return False
