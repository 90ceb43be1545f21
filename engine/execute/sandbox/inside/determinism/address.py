"""What `id` returns to a program: whole numbers that are equal for the same object, and otherwise other ones in each
of the program's runs.

The first run numbers objects upwards, in the order in which they are asked for, from about where CPython's addresses
are. The second numbers them downwards from much smaller numbers, and keeps them alive. The steps are multiples of many
small numbers, and the second run's numbers have other rests than the first's. So the rest of a division, an order, a
length, a difference or a comparison with another number differs between the runs, as do addresses that are used twice.
"""

import re
from collections.abc import Callable

_STEP = 2**10 * 3**2 * 5**3 * 7 * 11
_FIRST = 1_600_000 * _STEP  # 47 bits
_SECOND, _BEYOND = 1000, 2**31  # steps: for the first thousand objects of the second run, and for all others
_RESTS = (1, 1013)  # of the second run's numbers; neither is a multiple of a smaller number
_LONG = re.compile(r"[0-9a-fA-F]{6,}")
issued: set[int] = set()  # what was returned in this process


class Numbers:
    """One run's numbers."""

    def __init__(self, plain: Callable[[object], int], second: bool) -> None:
        """plain: the built-in `id`."""
        self._plain, self._second = plain, second
        self._places: dict[int, int] = {}
        self._pinned: list[object] = []

    def of(self, thing: object, pin: bool) -> int:
        """The number of a thing. pin: keep the thing, in the second run, so that no address is used twice."""
        if pin and self._second:
            self._pinned.append(thing)
        place = self._places.setdefault(self._plain(thing), len(self._places))
        number = _second(place) if self._second else _FIRST + place * _STEP
        issued.add(number)
        return number

    def let_go(self) -> None:
        """Release the things that are kept."""
        self._pinned.clear()


def _second(place: int) -> int:
    return ((_SECOND if place < _SECOND else _BEYOND) - place) * _STEP + _RESTS[place % 2]


def printed(stdout: str) -> bool:
    """Whether a text contains one of these numbers."""
    return bool(issued) and any(_is_issued(found.group()) for found in _LONG.finditer(stdout))


def _is_issued(digits: str) -> bool:
    return int(digits, 16) in issued or (digits.isdecimal() and int(digits) in issued)
