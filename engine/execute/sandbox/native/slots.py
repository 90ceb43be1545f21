"""Writes into memory what `inside.determinism.repr_watch` and `inside.world.doors` prepare. Standard library only."""

import ctypes

from antemill.engine.execute.sandbox.inside.determinism import repr_watch
from antemill.engine.execute.sandbox.inside.world import doors

_WORD = ctypes.sizeof(ctypes.c_void_p)
_WORDS = 30  # of a type's head, up to and beyond `tp_repr`
_CALL = 5  # words from `tp_repr` to `tp_call`


def write() -> None:
    """Change every type whose text could show an address, and make the doors; for good."""
    head = [_words(id(kind), _WORDS) for kind in (object, repr_watch.BARE, repr_watch.SLOT)]
    place = next(n for n in range(4, _WORDS) if head[0][n] == head[1][n] != head[2][n] and head[0][n])
    for kind in repr_watch.divert():
        _words(id(kind), _WORDS)[place] = head[2][place]
    for door in doors.made():
        _open(*door.addresses(), head[2][place + _CALL])


def _open(original: int, double: int, entry: int, call: int) -> None:
    """A built-in function's words from the third on: table entry, `__self__`, `__module__`, weak references, and the
    function for calls without a tuple, of which the double has none."""
    old, new = _words(original, 7), _words(double, 7)
    name, _, _, text = _words(old[2], doors.ENTRY)
    _words(entry, doors.ENTRY)[:] = [name, call, doors.WITH_KEYWORDS, text]
    new[2], new[4], new[6] = entry, old[4], 0


def _words(address: int, count: int) -> "ctypes.Array[ctypes.c_size_t]":
    return (ctypes.c_size_t * count).from_address(address)
