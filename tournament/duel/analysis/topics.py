"""What the puzzles are about (T11; TTG section 4.2 and table 3), from tags per puzzle.

All puzzles count, valid or not, as often as they were proposed. A tag's frequency is the share of puzzles that carry
it; its lift for a proposer is its frequency among the proposer's puzzles over that among all. Both are exact
fractions: 20/90 over 20/900 is 10. Ties go to the more frequent tag, then to the alphabet.

A distinctive tag needs LEAST puzzles. The paper does not print the number; its table 3 leaves no other: tags of five
puzzles are listed, and exclusive ones of four, whose lift is the highest possible, are not. Of its ten distinctive
tags nine are found here. The tenth, rot13 with 6 puzzles, ties with hmac (20 puzzles, lift 10 as well), and comes
first only if the ratios are rounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

from msgspec import Struct

RARE = 5  # puzzles at most, for a tag to count as rare
LEAST = 5  # our reading: puzzles of the proposer's, for a tag to be distinctive


class Tagged(Struct, frozen=True, kw_only=True):
    """The tags of one puzzle."""

    puzzle: str
    proposer: str
    tags: frozenset[str]


class TagUse(Struct, frozen=True):
    """A tag in a proposer's puzzles. frequency: among them; lift: over the frequency among all puzzles."""

    tag: str
    count: int
    frequency: Fraction
    lift: Fraction


class Profile(Struct, frozen=True):
    """A proposer's topics; None where no tag qualifies.

    top: the most frequent tag; distinctive: the one of the highest lift; exclusive: the most frequent of those that no
    other player used.
    """

    proposer: str
    puzzles: int
    top: TagUse | None
    distinctive: TagUse | None
    exclusive: TagUse | None


class Corpus(Struct, frozen=True):
    """How often tags occur among all puzzles.

    counts: puzzles by tag, the most frequent first; proposers: by tag; rare: tags with at most RARE puzzles.
    """

    puzzles: int
    counts: dict[str, int]
    proposers: dict[str, int]
    rare: int

    @property
    def tags_a_puzzle(self) -> float:
        """The mean number of a puzzle's tags."""
        return sum(self.counts.values()) / self.puzzles if self.puzzles else 0.0


def corpus(puzzles: Sequence[Tagged]) -> Corpus:
    """The tags of all puzzles."""
    counts = _counts(puzzles)
    used = Counter(tag for _, tag in {(one.proposer, tag) for one in puzzles for tag in one.tags})
    rare = sum(count <= RARE for count in counts.values())
    return Corpus(len(puzzles), dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))), dict(used), rare)


def profiles(puzzles: Sequence[Tagged], least: int = LEAST) -> list[Profile]:
    """Every proposer's topics, by name. least: puzzles that a distinctive tag needs."""
    everywhere = _counts(puzzles)
    found = []
    for proposer in sorted({puzzle.proposer for puzzle in puzzles}):
        own = [puzzle for puzzle in puzzles if puzzle.proposer == proposer]
        uses = [
            TagUse(tag, count, Fraction(count, len(own)), Fraction(count * len(puzzles), len(own) * everywhere[tag]))
            for tag, count in _counts(own).items()
        ]
        top = _best(uses, lambda use: use.frequency)
        distinctive = _best([use for use in uses if use.count >= least], lambda use: use.lift)
        exclusive = _best([use for use in uses if use.count == everywhere[use.tag]], lambda use: use.count)
        found.append(Profile(proposer, len(own), top, distinctive, exclusive))
    return found


def _counts(puzzles: Sequence[Tagged]) -> Counter[str]:
    return Counter(tag for puzzle in puzzles for tag in puzzle.tags)


def _best(uses: Sequence[TagUse], value: Callable[[TagUse], Fraction | int]) -> TagUse | None:
    return min(uses, key=lambda use: (-value(use), -use.count, use.tag), default=None)
