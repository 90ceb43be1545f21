"""Makes C code call the watching `__repr__` of `inside.determinism.repr_watch`. Standard library only."""

import ctypes

from antemill.engine.execute.sandbox.inside.determinism import repr_watch

_WORD = ctypes.sizeof(ctypes.c_void_p)
_WORDS = 30  # of a type's head, up to and beyond `tp_repr`


def divert() -> None:
    """Change every type whose text could show an address; for good."""
    head = [_words(kind, _WORDS) for kind in (object, repr_watch.BARE, repr_watch.SLOT)]
    place = next(n for n in range(4, _WORDS) if head[0][n] == head[1][n] != head[2][n] and head[0][n])
    for kind in repr_watch.divert():
        _words(kind, _WORDS)[place] = head[2][place]


def _words(kind: type, count: int) -> "ctypes.Array[ctypes.c_size_t]":
    return (ctypes.c_size_t * count).from_address(id(kind))
