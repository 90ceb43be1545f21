"""Comparing long texts and lists: what fails names the first line that differs, not both of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

_NONE = object()


def assert_same(found: str | Sequence[object], want: str | Sequence[object], advice: str = "") -> None:
    """That two texts, or two lists, are the same; else the first line or element that is not, with the one before.

    advice: what to do about it, at the end of the message.
    """
    ours, theirs = _parts(found), _parts(want)
    for i, (one, other) in enumerate(zip_longest(ours, theirs, fillvalue=_NONE)):
        if one is _NONE or other is _NONE or one != other:
            before = f"\n  after  {ours[i - 1]!r}" if i else ""
            parts = f"{before}\n  found  {_shown(one)}\n  wanted {_shown(other)}"
            raise AssertionError(f"line {i + 1} of {len(theirs)} differs:{parts}" + (f"\n{advice}" if advice else ""))


def _parts(value: str | Sequence[object]) -> Sequence[object]:
    return value.splitlines(keepends=True) if isinstance(value, str) else value


def _shown(part: object) -> str:
    return "nothing: it ends here" if part is _NONE else repr(part)
