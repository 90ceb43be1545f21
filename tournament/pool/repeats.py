"""Rejecting repeats: of several accepted candidates that are the same game, a pool keeps the one with the lowest seed.

The gate's other rules judge each game by itself, in the worker that has its seed. This rule needs all lower seeds, so
it is applied when all shards are there. The content of a pool is a function of its seeds alone. When lower seeds are
added to a pool, games of higher seeds may become repeats; a repeat always stays one.

A repeat is rejected for that reason. It keeps its canonical digest, so that its first appearance can be found, and
loses its rules and its program. Repeats are found by digest. A search may be restricted to one of several equal ranges
of digests, which divides its memory by their number.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

REPEAT = "repeat"  # the reason of rejection, if no other rule rejects the candidate
COLUMNS = ["seed", "accepted", "canonical_digest"]  # the columns by which repeats are found
AT_ONCE = 1 << 24  # candidates per search; it holds the digests of the accepted ones, 100 MB if one in five is accepted


class Repeats:
    """Digests of accepted games with their seeds, of one of several ranges of digests."""

    def __init__(self, number: int = 0, ranges: int = 1) -> None:
        self._number, self._ranges = number, ranges
        self._digests = [np.empty((0, 2), np.uint64)]
        self._seeds = [np.empty(0, np.int64)]

    def add(self, candidates: pa.Table) -> None:
        """Add these candidates, which have `COLUMNS`."""
        accepted = candidates.filter(candidates["accepted"])
        text = "".join(accepted["canonical_digest"].to_pylist())
        digests = np.frombuffer(bytes.fromhex(text), ">u8").astype(np.uint64).reshape(-1, 2)
        ours = (digests[:, 0] >> np.uint64(32)) * np.uint64(self._ranges) >> np.uint64(32) == self._number
        self._digests.append(digests[ours])
        self._seeds.append(accepted["seed"].to_numpy()[ours])

    def found(self) -> npt.NDArray[np.int64]:
        """The seeds, ascending, whose game also has a lower seed."""
        digests, seeds = np.concatenate(self._digests), np.concatenate(self._seeds)
        order = np.lexsort((seeds, digests[:, 1], digests[:, 0]))
        same = (digests[order][1:] == digests[order][:-1]).all(axis=1)
        return np.sort(seeds[order][1:][same])


def rejected(candidates: pa.Table, repeats: npt.NDArray[np.int64]) -> pa.Table:
    """The candidates, with these seeds rejected."""
    struck = pc.is_in(candidates["seed"], pa.array(repeats))
    for name, value in (("accepted", False), ("reason", REPEAT)):
        number = candidates.schema.get_field_index(name)
        changed = pc.if_else(struck, value, candidates[name])
        candidates = candidates.set_column(number, candidates.schema.field(number), changed)
    return candidates


def without(rows: pa.Table, seeds: npt.NDArray[np.int64]) -> pa.Table:
    """The rows of other seeds."""
    return rows.filter(pc.invert(pc.is_in(rows["seed"], pa.array(seeds))))
