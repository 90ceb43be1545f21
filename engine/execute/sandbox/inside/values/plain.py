"""Plain data as bytes and back.

The bytes come from an interpreter in which judged code ran, so `decode` does not trust them: it makes instances of the
types below and calls nothing else. A solution that forges bytes has forged a value, which it may choose anyway.

Shared parts stay shared. Not-a-number stays one object, too, since a list finds it by identity: `[nan] * 2` equals
itself only if both items are the same object. Other numbers equal their copies; one object may become two.
"""

import io
import pickle
from collections.abc import Sequence
from typing import Any

_BUILT = (complex, range, slice)
_NAMED = {"complex": complex, "range": range, "slice": slice, "Ellipsis": Ellipsis, "NotImplemented": NotImplemented}

_WORD = 8  # bytes


class NotPlainError(Exception):
    """The value is not plain data."""


class _Encoder(pickle.Pickler):
    def __init__(self, buffer: io.BytesIO) -> None:
        super().__init__(buffer, protocol=5)
        self.numbers: list[float] = []  # not-a-numbers; each is written as its index here
        self._places: dict[int, int] = {}

    def persistent_id(self, obj: Any) -> int | None:
        """Called for every part of the value."""
        if type(obj) is not float or obj == obj:
            return None
        place = self._places.setdefault(id(obj), len(self.numbers))
        if place == len(self.numbers):
            self.numbers.append(obj)
        return place

    def reducer_override(self, obj: Any) -> Any:
        """Called for all but None, bool, int, float, str, bytes, bytearray, tuple, list, dict, set and frozenset."""
        if any(type(obj) is known for known in _BUILT) or any(obj is known for known in _NAMED.values()):
            return NotImplemented
        raise NotPlainError(type.__dict__["__name__"].__get__(type(obj)))


class _Decoder(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, numbers: Sequence[Any]) -> None:
        super().__init__(file)
        self._numbers = numbers

    def persistent_load(self, pid: Any) -> Any:
        return self._numbers[pid]

    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _NAMED:
            return _NAMED[name]
        raise NotPlainError(f"{module}.{name}")


def encode(value: object) -> bytes:
    """Plain data as bytes, with shared parts and cycles: the value, then `numbers`, then the offset of `numbers`.

    Raises NotPlainError for anything else.
    """
    buffer = io.BytesIO()
    encoder = _Encoder(buffer)
    try:
        encoder.dump(value)
    except RecursionError as error:  # nested too deeply to travel
        raise NotPlainError(str(error)) from None
    start = buffer.tell()
    pickle.Pickler(buffer, protocol=5).dump(encoder.numbers)
    buffer.write(start.to_bytes(_WORD, "little"))
    return buffer.getvalue()


def decode(data: bytes) -> Any:
    """The value. Raises an exception of any type if the bytes are not what `encode` makes."""
    file = io.BytesIO(data)
    file.seek(int.from_bytes(data[-_WORD:], "little"))
    numbers = _Decoder(file, ()).load()
    file.seek(0)
    return _Decoder(file, numbers).load()


def checked(value: Any) -> Any:
    """The same value. Raises NotPlainError if it is not plain data (forged bytes may hold a view of a bytearray)."""
    encode(value)
    return value


def is_plain(value: object) -> bool:
    """Whether it is plain data."""
    try:
        encode(value)
    except NotPlainError:
        return False
    return True
