"""Functions for writing and reading JSON that all protocols use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from antemill.llm.entry import Entry
from antemill.llm.errors import CallError, malformed
from antemill.llm.types import Message, Request, Role

Json = dict[str, Any]

_MOST_TOKENS = 10_000_000  # of one call; more are no count
_MOST_DOLLARS = 100.0  # likewise
_LONG = 1500  # characters of a text
_FRAME = 12  # tokens for a text's key, quotation marks and white space


def decode(text: str) -> Json:
    """The JSON object in a server's text. Raises AgainError, also for HTML and for half a surrogate pair."""
    try:
        found = msgspec.json.decode(text.removeprefix("\ufeff"))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise malformed(f"the answer is not a JSON object: {excerpt(text)}", text)
    return found


def excerpt(text: str, length: int = 200) -> str:
    """The text in one line of at most `length` characters, without control characters."""
    line = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return line if len(line) <= length else f"{line[:length]}…"


def part(found: Mapping[str, Any], key: str) -> Json:
    """The object under a key, or an empty one."""
    here = found.get(key)
    return here if isinstance(here, dict) else {}


def objects(found: Mapping[str, Any], key: str) -> list[Json]:
    """The objects of a list, or an empty list."""
    here = found.get(key)
    return [item for item in here if isinstance(item, dict)] if isinstance(here, list) else []


def text_of(found: Mapping[str, Any], key: str) -> str:
    """A text, or ""."""
    here = found.get(key)
    return here if isinstance(here, str) else ""


def content_of(found: Mapping[str, Any], key: str = "content") -> str:
    """A text, or the texts of a list of parts, since providers use both forms."""
    return text_of(found, key) or "".join(text_of(item, "text") for item in objects(found, key))


def said_by(turns: list[Json], key: str = "content") -> tuple[Message, ...]:
    """Messages that name their role. An unknown role counts as the user's."""
    roles: dict[str, Role] = {"system": "system", "developer": "system", "assistant": "assistant", "model": "assistant"}
    return tuple(Message(roles.get(text_of(turn, "role"), "user"), content_of(turn, key)) for turn in turns)


def said(system: str, turns: list[Json], key: str = "content") -> tuple[Message, ...]:
    """A conversation: its system message, if there is one, and its turns."""
    return (*((Message("system", system),) if system else ()), *said_by(turns, key))


def served(found: Json) -> str:
    """The model's name in a reply, with the server's fingerprint if it sends one."""
    return " ".join(filter(None, (text_of(found, "model"), text_of(found, "system_fingerprint"))))


def unanswered(found: Json) -> CallError:
    """The error for a success that is not an answer of the protocol."""
    return malformed(f"the answer does not have the protocol's form: {excerpt(str(found))}")


def count(found: Mapping[str, Any], key: str) -> int:
    """A number of tokens; 0 for an invalid count, which must not make a paid answer unusable."""
    return int(found[key]) if counted(found, key) else 0


def counted(found: Mapping[str, Any], key: str, most: float = _MOST_TOKENS) -> bool:
    """Whether the object has a number of tokens under this key."""
    here = found.get(key)
    return isinstance(here, (int, float)) and not isinstance(here, bool) and 0 <= here < most


def dollars(found: Mapping[str, Any], key: str) -> float | None:
    """A cost in dollars, or None."""
    return found[key] if counted(found, key, _MOST_DOLLARS) else None


def sampling(model: Entry, request: Request, names: Mapping[str, str]) -> Json:
    """The sampling parameters that are set, under the protocol's `names`; none if the model accepts none."""
    if not model.sampling:
        return {}
    values = {
        "temperature": model.temperature if request.temperature is None else request.temperature,
        "top_p": model.top_p,
        "top_k": model.top_k,
        "min_p": model.min_p,
    }
    return {names[key]: value for key, value in values.items() if value is not None and key in names}


def fitted(schema: Json, most: int) -> Json:
    """The schema with bounds for its texts, so that a reply to it fits into `most` tokens, at one a character.

    Under a grammar a small model writes on until the limit cuts it off. Bounds of more than `_LONG` are left out:
    llama.cpp refuses them.
    """
    schema = msgspec.json.decode(msgspec.json.encode(schema))
    texts = list(_texts(schema, 1))
    share = (most - _FRAME * sum(times for _, times in texts)) // max(1, sum(times for _, times in texts))
    for text, _ in texts:
        text |= {"minLength": 1} | ({"maxLength": share} if 0 < share <= _LONG else {})
    return schema


def _texts(schema: Json, times: int) -> Iterator[tuple[Json, int]]:
    """The free texts of a schema, with the number of times that each may occur."""
    if schema.get("type") == "string" and "enum" not in schema:
        yield schema, times
    for inner in part(schema, "properties").values():
        yield from _texts(inner, times)
    if "items" in schema:
        yield from _texts(schema["items"], times * schema.get("maxItems", 1))


def merged(body: Json, extra: Mapping[str, Any]) -> Json:
    """The body with the fields of `extra`: objects are merged, all other values are replaced."""
    result = dict(body)
    for key, value in extra.items():
        here = result.get(key)
        result[key] = merged(here, value) if isinstance(here, dict) and isinstance(value, Mapping) else value
    return result
