"""Writes into a guest's memory where its types look for their `__repr__` (see inside/determinism/repr_watch.py).

The guest can not write its own memory, so it leaves a table in it: the addresses of `object`, of a class with the
`tp_repr` of `object`, of one with a `__repr__` in Python, and of the types to change. The snapshot's memory is the data
section of the first module: a list of pieces, each with the address at which it begins. Standard library only.
"""

import hashlib
import struct
from collections.abc import Iterator

_MARK = hashlib.sha256(b"slots").digest()
_MODULE, _DATA, _CONSTANT, _END = 1, 11, 0x41, 0x0B
_WORDS = 30  # of a type's head, up to and beyond `tp_repr`
_TYPE = 4  # bytes of an object before its type
_HEADER = 8  # bytes of a component or a module before its sections


def divert(guest: bytes) -> bytes:
    """The guest with types that ask Python code for their text. Raises ValueError if its memory is not as expected."""
    memory = _Memory(guest)
    bare_object, bare, slot, *kinds = memory.table()
    heads = [[memory.word(kind + 4 * n) for n in range(_WORDS)] for kind in (bare_object, bare, slot)]
    place = next(n for n in range(4, _WORDS) if heads[0][n] == heads[1][n] != heads[2][n] and heads[0][n])
    for kind in kinds:
        memory.write(kind + 4 * place, heads[2][place])
    return bytes(memory.data)


class _Memory:
    def __init__(self, guest: bytes) -> None:
        self.data = bytearray(guest)
        begin, _ = next(span for kind, *span in self._sections(_HEADER, len(guest)) if kind == _MODULE)
        end = next(last for kind, first, last in self._sections(_HEADER, len(guest)) if kind == _MODULE)
        pieces = next(first for kind, first, _ in self._sections(begin + _HEADER, end) if kind == _DATA)
        self._pieces = dict(self._read(pieces))  # by address: where in the file, and how long

    def _number(self, at: int) -> tuple[int, int]:
        """An unsigned LEB128 number, and what follows it."""
        value = shift = 0
        while True:
            byte = self.data[at]
            value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return value, at

    def _sections(self, at: int, end: int) -> Iterator[tuple[int, int, int]]:
        while at < end:
            size, first = self._number(at + 1)
            yield self.data[at], first, first + size
            at = first + size

    def _read(self, at: int) -> Iterator[tuple[int, tuple[int, int]]]:
        count, at = self._number(at)
        for _ in range(count):
            if self.data[at : at + 2] != bytes((0, _CONSTANT)):
                raise ValueError("a piece of the guest's memory has no fixed address")
            address, at = self._number(at + 2)
            size, at = self._number(at + 1)
            yield address, (at, size)
            at += size

    def _place(self, address: int) -> int | None:
        """The offset in the file of a word of memory; None if the file leaves it out, because it is zero."""
        for begin, (at, size) in self._pieces.items():
            if begin <= address and address + 4 <= begin + size:
                return at + address - begin
        return None

    def word(self, address: int) -> int:
        place = self._place(address)
        return 0 if place is None else int(struct.unpack_from("<I", self.data, place)[0])

    def write(self, address: int, value: int) -> None:
        place = self._place(address)
        if place is None:
            raise ValueError("a type of the guest has no text of its own")
        struct.pack_into("<I", self.data, place, value)

    def table(self) -> tuple[int, ...]:
        """The table that the guest has left: the one copy whose first addresses are those of types."""
        at = self.data.find(_MARK)
        while at >= 0:
            (count,) = struct.unpack_from("<I", self.data, at + len(_MARK))
            if 3 < count < 10_000:
                found = struct.unpack_from(f"<{count}I", self.data, at + len(_MARK) + 4)
                kinds = {self.word(place + _TYPE) for place in found[:3]}
                if len(kinds) == 1 and 0 not in kinds:
                    return found
            at = self.data.find(_MARK, at + 1)
        raise ValueError("the guest has left no table of its types")
