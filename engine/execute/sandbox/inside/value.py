"""Plain data as bytes and back.

The bytes come from an interpreter in which a party's code ran, so `decode` trusts nothing in them: it builds instances
of the types below, and calls nothing else. Whoever forges bytes has forged a value, which was theirs to choose anyway.
"""

import io
import pickle
from typing import Any

_BUILT = (complex, range, slice)
_NAMED = {"complex": complex, "range": range, "slice": slice, "Ellipsis": Ellipsis, "NotImplemented": NotImplemented}


class NotPlainError(Exception):
    """The value is not plain data."""


class _Encoder(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        """Called for all but None, bool, int, float, str, bytes, bytearray, tuple, list, dict, set and frozenset."""
        if type(obj) in _BUILT or obj is Ellipsis or obj is NotImplemented:
            return NotImplemented
        raise NotPlainError(type(obj).__name__)


class _Decoder(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _NAMED:
            return _NAMED[name]
        raise NotPlainError(f"{module}.{name}")


def encode(value: object) -> bytes:
    """The bytes of plain data, shared parts and cycles included. Raises NotPlainError for anything else."""
    buffer = io.BytesIO()
    try:
        _Encoder(buffer, protocol=5).dump(value)
    except RecursionError as error:  # nested too deeply to travel
        raise NotPlainError(str(error)) from None
    return buffer.getvalue()


def decode(data: bytes) -> Any:
    """The value. Raises some exception if the bytes are not what `encode` makes."""
    return _Decoder(io.BytesIO(data)).load()
