"""Long texts of requests are stored once each: a rulebook is sent a thousand times."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import msgspec

_LONG = 512  # characters


def shortened(request: str) -> tuple[str, dict[str, str]]:
    """A request's JSON with its long texts replaced by references, and those texts by their hashes."""
    if len(request) < _LONG:
        return request, {}
    texts: dict[str, str] = {}
    body = _replaced(msgspec.json.decode(request), texts)
    return msgspec.json.encode(body).decode(), texts


def restored(request: str, text_of: Callable[[str], str | None]) -> str:
    """A request as it was sent. text_of: returns a text by its hash, or None, which keeps the reference."""
    return msgspec.json.encode(_restored(msgspec.json.decode(request), text_of)).decode()


def _replaced(value: object, texts: dict[str, str]) -> object:
    if isinstance(value, str) and len(value) >= _LONG:
        key = hashlib.sha256(value.encode(errors="replace")).hexdigest()
        texts[key] = value
        return {"$text": key}
    if isinstance(value, list):
        return [_replaced(item, texts) for item in value]
    if isinstance(value, dict):
        return {key: _replaced(item, texts) for key, item in value.items()}
    return value


def _restored(value: object, text_of: Callable[[str], str | None]) -> object:
    if isinstance(value, list):
        return [_restored(item, text_of) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$text"}:
        text = text_of(value["$text"])
        return value if text is None else text
    return {key: _restored(item, text_of) for key, item in value.items()}
