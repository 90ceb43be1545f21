"""No game twice: of several accepted candidates that are the same game, a pool keeps that of the lowest seed.

The gate's other rules judge a game alone, in whatever worker has its seed. This one needs all lower seeds, so it is
applied when all shards are there: what a pool holds is a function of its seeds alone, however it was built. When a pool
grows downwards, games of higher seeds may become repeats; none ever ceases to be one.

A repeat is rejected for that reason. It keeps its canonical digest, so that its first appearance can be found, and
loses its rules and its program. Repeats are looked for by digest, and a search may be restricted to one of several
equal ranges of digests: its memory then depends on the pool's size divided by their number.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

REPEAT = "repeat"  # why a candidate is rejected that no other rule rejects
COLUMNS = ["seed", "accepted", "canonical_digest"]  # what repeats are found by
AT_ONCE = 1 << 24  # candidates of whom one search holds the accepted ones' digests, 100 MB if one in five is


class Repeats:
    """Digests of accepted games with their seeds, of one of several ranges of digests."""

    def __init__(self, number: int = 0, ranges: int = 1) -> None:
        self._number, self._ranges = number, ranges
        self._digests = [np.empty((0, 2), np.uint64)]
        self._seeds = [np.empty(0, np.int64)]

    def add(self, candidates: pa.Table) -> None:
        """Take note of these candidates (of whom there are `COLUMNS`)."""
        accepted = candidates.filter(candidates["accepted"])
        text = "".join(accepted["canonical_digest"].to_pylist())
        digests = np.frombuffer(bytes.fromhex(text), ">u8").astype(np.uint64).reshape(-1, 2)
        ours = (digests[:, 0] >> np.uint64(32)) * np.uint64(self._ranges) >> np.uint64(32) == self._number
        self._digests.append(digests[ours])
        self._seeds.append(accepted["seed"].to_numpy()[ours])

    def found(self) -> npt.NDArray[np.int64]:
        """The seeds, ascending, whose game a lower one has."""
        digests, seeds = np.concatenate(self._digests), np.concatenate(self._seeds)
        order = np.lexsort((seeds, digests[:, 1], digests[:, 0]))
        same = (digests[order][1:] == digests[order][:-1]).all(axis=1)
        return np.sort(seeds[order][1:][same])


def rejected(candidates: pa.Table, repeats: npt.NDArray[np.int64]) -> pa.Table:
    """Candidates, of whom these seeds are rejected."""
    struck = pc.is_in(candidates["seed"], pa.array(repeats))
    for name, value in (("accepted", False), ("reason", REPEAT)):
        number = candidates.schema.get_field_index(name)
        changed = pc.if_else(struck, value, candidates[name])
        candidates = candidates.set_column(number, candidates.schema.field(number), changed)
    return candidates


def without(rows: pa.Table, seeds: npt.NDArray[np.int64]) -> pa.Table:
    """The rows of other seeds."""
    return rows.filter(pc.invert(pc.is_in(rows["seed"], pa.array(seeds))))
