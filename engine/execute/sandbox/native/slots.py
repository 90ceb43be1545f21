"""Writes the preparations of `inside.determinism.repr_watch`, `inside.world.doors` and `inside.world.longs` to memory.

Standard library only.
"""

import ctypes
import os

from antemill.engine.execute.sandbox.inside.determinism import repr_watch
from antemill.engine.execute.sandbox.inside.world import doors, longs

_WORD = ctypes.sizeof(ctypes.c_void_p)
_WORDS = 30  # of a type's head, up to and beyond `tp_repr`
_CALL = 5  # words from `tp_repr` to `tp_call`
_CODES, _ENTRY = 4, 5  # the words of a format of `struct` and of an array that lead to their entries in tables
_ANYHOW = 1 | 2 | 4  # memory that may be read, written and executed


def write(number: int) -> None:
    """Permanently change every type whose text could show an address, and make the doors.

    On the second machine (number 1), also give longs another size.
    """
    head = [_words(id(kind), _WORDS) for kind in (object, repr_watch.BARE, repr_watch.SLOT)]
    place = next(n for n in range(4, _WORDS) if head[0][n] == head[1][n] != head[2][n] and head[0][n])
    for kind in repr_watch.divert():
        _words(id(kind), _WORDS)[place] = head[2][place]
    for door in doors.made():
        _open(*door.addresses(), head[2][place + _CALL])
    if number:
        _resize()


def _resize() -> None:
    formats, arrays = longs.entries()
    found = [_words(_words(id(one), _CODES + 1)[_CODES], 1)[0] for one in formats]
    for entry, other in zip(found[::2], found[1::2], strict=True):
        _copy(entry + _WORD, other + _WORD, 4 * _WORD)
    found = [_words(id(one), _ENTRY + 1)[_ENTRY] for one in arrays]
    for entry, other in zip(found[::2], found[1::2], strict=True):
        _copy(entry + longs.KEPT, other + longs.KEPT, 4 + 4 * _WORD)


def _copy(target: int, source: int, size: int) -> None:
    """Copy into read-only memory."""
    page = os.sysconf("SC_PAGE_SIZE")
    start = target // page * page
    length = -(-(target + size - start) // page) * page
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), ctypes.c_size_t(length), _ANYHOW):
        raise OSError("the tables of struct and array cannot be changed")
    ctypes.memmove(target, source, size)


def _open(original: int, double: int, entry: int, call: int) -> None:
    """Make a door of a built-in function's double.

    A built-in function's words from the third on: table entry, `__self__`, `__module__`, weak references, and the
    function for calls without a tuple, which the double lacks.
    """
    old, new = _words(original, 7), _words(double, 7)
    name, _, _, text = _words(old[2], doors.ENTRY)
    _words(entry, doors.ENTRY)[:] = [name, call, doors.WITH_KEYWORDS, text]
    new[2], new[4], new[6] = entry, old[4], 0


def _words(address: int, count: int) -> "ctypes.Array[ctypes.c_size_t]":
    return (ctypes.c_size_t * count).from_address(address)
