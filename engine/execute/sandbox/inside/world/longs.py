"""How many bytes a `long`, a size and a pointer of the machine take, in `struct` and `array`.

On the second machine they take 4 bytes where they take 8 here, or 8 where they take 4. Both modules look a format's
letter up in tables of C. There the entry of `l` becomes a copy of another letter's, all but the letter itself.
`native/slots.py` and `guest/slots.py` copy, before programs run. (`memoryview.cast` has no such table: the guard looks
at what it is given.)
"""

import struct
from array import array
from typing import Any

_LONGS = {"l": "iq", "L": "IQ", "n": "iq", "N": "IQ", "P": "IQ"}  # and letters of what takes 4 bytes, or 8
_OF_ARRAYS = "lL"
KEPT = 4  # bytes at the beginning of an entry of `array` that are its letter; in `struct` they are a word


def entries() -> tuple[list[Any], list[Any]]:
    """Formats of `struct`, and arrays, whose entries are to be changed; each is followed by one whose entry it gets."""
    letters = {letter: others[struct.calcsize(letter) == 4] for letter, others in _LONGS.items()}
    formats = [struct.Struct(one) for pair in letters.items() for one in pair]
    return formats, [array(one) for letter in _OF_ARRAYS for one in (letter, letters[letter])]


def forget() -> None:
    """Let `struct` forget the formats that it has met."""
    module: Any = struct
    module._clearcache()
