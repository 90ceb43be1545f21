"""Texts as numbers, for the keys of streams."""

from __future__ import annotations

import hashlib


def word(text: str) -> int:
    """A text, such as a player's name, as a number."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
