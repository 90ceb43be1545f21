"""The reading of spoilt games in plain Python, where leaving an array raises: `python -m
tests.engine.rules.table.bounded`.

No spec gives such JSON, but some that are not legal give objects where others are expected, which is as bad.
"""

import os

os.environ["NUMBA_DISABLE_JIT"] = "1"

import random

import numpy as np

from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import to_json
from antemill.engine.rules.table.parsing import FULL, ODD, WORDS, parse
from tests.specs import every_construct

PIECES = (b'"', b"{", b"[", b"]", b"}", b"\\", b",", b"99", b"null", b'{"type":"all","conditions":[')


def spoilt(rng: random.Random, data: bytes) -> bytes:
    """With a few bytes left out, added or replaced, or without the end."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(data))
        left_out = rng.choice((0, 0, 1, 2, 5, 30, len(data) if rng.random() < 0.2 else 1))
        data = data[:at] + rng.choice((b"", *PIECES)) + data[at + left_out :] or b"{"
    return data


def main() -> None:
    """Raises IndexError, or does not end, if reading leaves an array or goes on for ever."""
    rng = random.Random(5)
    games = [to_json(spec) for spec in (*(game() for game in NAMED.values()), every_construct())]
    found = {FULL: 0, ODD: 0, 0: 0}
    for number in range(600):
        data = np.frombuffer(WORDS + spoilt(rng, games[number % len(games)]), np.uint8)
        chips = parse(data, rng.choice((100, 128, 256))).chips
        found[chips if chips in found else 0] += 1
    print(all(found.values()))


if __name__ == "__main__":
    main()
