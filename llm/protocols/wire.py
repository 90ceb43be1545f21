"""The seam between the client and a wire protocol, and what the protocols share in reading JSON.

A protocol is four functions without state. They never see a key's value but in `headers`, and never the network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from llm.errors import MalformedReplyError
from llm.models import Model
from llm.types import Answer, Request

Json = dict[str, Any]


class Wire(Struct, frozen=True):
    """One protocol."""

    path: Callable[[Model], str]  # appended to the base URL
    headers: Callable[[str | None], dict[str, str]]  # from the key; None: without a key
    body: Callable[[Model, Request], Json]
    answer: Callable[[Json], Answer]  # of a success; raises CallError


def decode(text: str) -> Json:
    """A JSON object. Raises MalformedReplyError, also for HTML. Halves of surrogate pairs become "?"."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        found = _decode_loosely(text)
    if not isinstance(found, dict):
        raise MalformedReplyError(f"the answer is no JSON object: {excerpt(text)}", body=text)
    return found


def _decode_loosely(text: str) -> object:
    """The standard library takes half a surrogate pair, which models do write and msgspec refuses."""
    try:
        whole = json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    found: object = msgspec.json.decode(whole.encode(errors="replace"))
    return found


def excerpt(text: str, length: int = 200) -> str:
    """The text in one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[:length]}..."


def part(found: Mapping[str, Any], *keys: str) -> Json:
    """The object at a path, or an empty one."""
    here: Any = found
    for key in keys:
        here = here.get(key) if isinstance(here, Mapping) else None
    return here if isinstance(here, dict) else {}


def objects(found: Mapping[str, Any], key: str) -> list[Json]:
    """The objects of a list, or an empty list."""
    here = found.get(key)
    return [item for item in here if isinstance(item, dict)] if isinstance(here, list) else []


def text_of(found: Mapping[str, Any], key: str) -> str:
    """A text, or ""."""
    here = found.get(key)
    return here if isinstance(here, str) else ""


def count(found: Mapping[str, Any], key: str) -> int:
    """A number of tokens, or 0: a bad count must not spoil an answer that was paid."""
    here = found.get(key)
    return int(here) if isinstance(here, (int, float)) and not isinstance(here, bool) and 0 <= here < 1 << 53 else 0


def dollars(found: Mapping[str, Any], key: str) -> float | None:
    """A cost, or None."""
    here = found.get(key)
    return float(here) if isinstance(here, (int, float)) and not isinstance(here, bool) and 0 <= here < 1e9 else None


def sampling(model: Model, request: Request, names: Mapping[str, str]) -> Json:
    """The sampling parameters that are set, under the protocol's `names`; none if the model takes none."""
    if not model.sampling:
        return {}
    values = {
        "temperature": model.temperature if request.temperature is None else request.temperature,
        "top_p": model.top_p,
        "top_k": model.top_k,
        "min_p": model.min_p,
    }
    return {names[key]: value for key, value in values.items() if value is not None and key in names}


def merged(body: Json, extra: Mapping[str, Any]) -> Json:
    """The body with `extra` laid over it; objects are merged, all else is replaced."""
    result = dict(body)
    for key, value in extra.items():
        here = result.get(key)
        result[key] = merged(here, value) if isinstance(here, dict) and isinstance(value, Mapping) else value
    return result
