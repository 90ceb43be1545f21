"""Detects servers that cut a prompt to their window and answer it without an error, by their counts of tokens.

A token is rarely more than six bytes of text. A server that counts fewer tokens than an eighth of a prompt's bytes, or
the same number for prompts of very different lengths, has not read the whole prompt, or its counts are wrong. In both
cases it is unknown which prompt it has answered.
"""

from __future__ import annotations

_BYTES = 8  # the most bytes of text for a token
_LONG = 8192  # bytes of a prompt that is long enough to be judged
_SAME, _GROWN, _LEAST = 4, 1.25, 256  # minima: answers with one count, longest over shortest prompt, tokens


class Cutting:
    """The token counts of one model's server."""

    def __init__(self) -> None:
        self._most = self._answers = self._shortest = self._longest = 0

    def noticed(self, size: int, tokens: int) -> str:
        """The problem with a count, as a part of a sentence; "" if there is none. size: bytes of the prompt's texts."""
        if size >= _LONG and tokens * _BYTES < size:
            return f"it counts {tokens:,} tokens of a prompt of {size:,} bytes"
        if tokens > self._most:
            self._most, self._answers, self._shortest, self._longest = tokens, 0, size, size
        if tokens < self._most:
            return ""
        self._answers += 1
        self._shortest, self._longest = min(self._shortest, size), max(self._longest, size)
        grown = self._longest >= max(_LONG, _GROWN * self._shortest)
        if tokens >= _LEAST and self._answers >= _SAME and grown:
            return f"it counts {tokens:,} tokens whether a prompt has {self._shortest:,} or {self._longest:,} bytes"
        return ""
