"""Ranges of seeds, the files that are named by them, and which of them are still missing.

The names of its files say what a pool has, so a listing of a folder shows what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

SHARD = 122_880  # seeds of a shard: DuckDB's group of rows, and a multiple of every grain
GRAINS = (128, 256, 512, 1024, 2048)  # seeds that a worker draws at a time; the last takes about ten seconds
_PIECES = 64  # work is cut into at least this many pieces, if the grains allow it
_NAME = re.compile(r"(\d{19})-(\d{19})((?:\.[a-z_+]+)?)\.parquet")
_PART = re.compile(r"(\d{19})-(\d{19})\.arrow")


class Span(Struct, frozen=True, order=True):
    """The seeds start..stop-1."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """The number of seeds."""
        return self.stop - self.start

    @property
    def file(self) -> str:
        """The name of a file about them; names are in the order of seeds."""
        return f"{self.start:019d}-{self.stop:019d}.parquet"

    @property
    def part(self) -> str:
        """The name of a file about them that vanishes when they are in another one."""
        return f"{self.start:019d}-{self.stop:019d}.arrow"

    def __str__(self) -> str:
        return f"seeds {self.start}:{self.stop}"


def shards(start: int, stop: int) -> Iterator[Span]:
    """The shards of these seeds in ascending order: from one multiple of `SHARD` to the next, cut to the range."""
    for edge in range(start // SHARD * SHARD, stop, SHARD):
        yield Span(max(edge, start), min(edge + SHARD, stop))


def grain(seeds: int) -> int:
    """The number of seeds that a worker gets at a time, for this total."""
    return max((size for size in GRAINS if size * _PIECES <= seeds), default=GRAINS[0])


def parse(name: str) -> tuple[Span, str] | None:
    """The seeds in a file's name, and what stands between them and the ending; None if it is no such name."""
    found = _NAME.fullmatch(name)
    return found and (Span(int(found[1]), int(found[2])), found[3].removeprefix("."))


def named(names: Iterable[str]) -> list[Span]:
    """The spans of those names that consist of one."""
    found = (parse(name) for name in names)
    return [each[0] for each in found if each and not each[1]]


def parts(names: Iterable[str]) -> list[Span]:
    """The spans of those names that are a part's (`Span.part`)."""
    return [Span(int(found[1]), int(found[2])) for found in map(_PART.fullmatch, names) if found]


class Known:
    """Spans that are there, found by the shard that they lie in."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._by_shard: dict[int, list[Span]] = {}
        for span in spans:
            self.add(span)

    def add(self, span: Span) -> None:
        """Add a span that is there."""
        for number in range(span.start // SHARD, (span.stop - 1) // SHARD + 1):
            self._by_shard.setdefault(number, []).append(span)

    def forget(self, shard: Span) -> None:
        """Forget all that lies in a shard."""
        self._by_shard.pop(shard.start // SHARD, None)

    def of(self, shard: Span) -> Sequence[Span]:
        """The spans in a shard."""
        return self._by_shard.get(shard.start // SHARD, ())

    def __contains__(self, shard: Span) -> bool:
        return shard in self.of(shard)


def gaps(wanted: Span, there: Iterable[Span], size: int) -> Iterator[Span]:
    """The part of the wanted span that the existing spans lack, in pieces that end at the multiples of `size`."""
    at = wanted.start
    for span in [*sorted(there), Span(wanted.stop, wanted.stop)]:
        while at < min(span.start, wanted.stop):
            piece = Span(at, min((at // size + 1) * size, span.start, wanted.stop))
            yield piece
            at = piece.stop
        at = max(at, span.stop)


def cover(wanted: Span, there: Iterable[Span]) -> list[tuple[Span, Span]]:
    """Spans that together hold the wanted one, each with the seeds to be taken from it, as few as possible.

    Raises ValueError if the spans do not hold all of it.
    """
    chosen, at, waiting = [], wanted.start, list(there)
    while at < wanted.stop:
        best = max((span for span in waiting if span.start <= at), key=lambda span: span.stop, default=None)
        if best is None or best.stop <= at:
            raise ValueError(f"seed {at} is in none of the spans")
        chosen.append((best, Span(at, min(best.stop, wanted.stop))))
        at = best.stop
    return chosen
