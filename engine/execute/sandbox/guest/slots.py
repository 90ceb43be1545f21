"""Writes into a guest's memory where its types look for their `__repr__`, and makes its doors.

See inside/determinism/repr_watch.py and inside/world/doors.py. The guest can not write its own memory, so it leaves
tables in it: the addresses of `object`, of a class with the `tp_repr` of `object`, of one with a `__repr__` in Python,
and of the types to change; three addresses for each door; and in the second guest those of the formats and arrays of
inside/world/longs.py. The snapshot's memory is the data section of the first module: a list of pieces, each with the
address at which it begins. Standard library only.
"""

import hashlib
import struct
from collections.abc import Iterator

_MARK, _OF_DOORS, _OF_FORMATS, _OF_ARRAYS = (
    hashlib.sha256(name).digest() for name in (b"slots", b"doors", b"formats", b"arrays")
)
_MODULE, _DATA, _CONSTANT, _END = 1, 11, 0x41, 0x0B
_WORDS = 30  # of a type's head, up to and beyond `tp_repr`
_TYPE = 4  # bytes of an object before its type
_CALL = 5  # words from `tp_repr` to `tp_call`
_WITH_KEYWORDS = 3  # the flags of a built-in function that takes a tuple and keywords
_HEADER = 8  # bytes of a component or a module before its sections


def write(guest: bytes, number: int) -> bytes:
    """The guest with types that ask Python code for their text, and with doors; the second one (number 1) with longs of
    another size. Raises ValueError if its memory is not as expected."""
    memory = _Memory(guest)
    bare_object, bare, slot, *kinds = memory.table()
    heads = [[memory.word(kind + 4 * n) for n in range(_WORDS)] for kind in (bare_object, bare, slot)]
    place = next(n for n in range(4, _WORDS) if heads[0][n] == heads[1][n] != heads[2][n] and heads[0][n])
    for kind in kinds:
        memory.write(kind + 4 * place, heads[2][place])
    for found in memory.grouped(_OF_DOORS, 3, 2):
        _open(memory, found, heads[2][place + _CALL])
    for mark, words, entry_of in ((_OF_FORMATS, 4, _entry_of_format), (_OF_ARRAYS, 5, _entry_of_array)):
        for found in memory.grouped(mark, 2, 2) if number else ():
            entry, other = (entry_of(memory, place) for place in found)
            for n in range(1, words + 1):
                memory.write(entry + 4 * n, memory.word(other + 4 * n))
    return bytes(memory.data)


def _open(memory: "_Memory", addresses: tuple[int, ...], call: int) -> None:
    """As in native/slots.py."""
    original, double, entry = addresses
    table = memory.word(original + 8)
    for n, value in enumerate((memory.word(table), call, _WITH_KEYWORDS, memory.word(table + 12))):
        memory.write(entry + 4 * n, value)
    for n, value in ((2, entry), (4, memory.word(original + 16)), (6, 0)):
        memory.write(double + 4 * n, value)


def _entry_of_format(memory: "_Memory", place: int) -> int:
    return memory.word(memory.word(place + 16))


def _entry_of_array(memory: "_Memory", place: int) -> int:
    return memory.word(place + 20)


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
        for found in self._tables(_MARK):
            kinds = {self.word(place + _TYPE) for place in found[:3]}
            if len(kinds) == 1 and 0 not in kinds:
                return found
        raise ValueError("the guest has left no table of its types")

    def grouped(self, mark: bytes, size: int, objects: int) -> Iterator[tuple[int, ...]]:
        """The addresses of a table in groups of a size. The first so many of each are those of objects of one type."""
        for found in self._tables(mark):
            kinds = {self.word(place + _TYPE) for n, place in enumerate(found) if n % size < objects}
            if len(kinds) == 1 and 0 not in kinds:
                return zip(*[iter(found)] * size, strict=True)
        raise ValueError("the guest has left no table of its doors, formats or arrays")

    def _tables(self, mark: bytes) -> Iterator[tuple[int, ...]]:
        at = self.data.find(mark)
        while at >= 0:
            (count,) = struct.unpack_from("<I", self.data, at + len(mark))
            if 3 <= count < 10_000:
                yield struct.unpack_from(f"<{count}I", self.data, at + len(mark) + 4)
            at = self.data.find(mark, at + 1)
