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
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import msgspec

RARE = 5  # puzzles at most, for a tag to count as rare
LEAST = 5  # our reading: puzzles of the proposer's, for a tag to be distinctive


class Tagged(msgspec.Struct, frozen=True, kw_only=True):
    """The tags of one puzzle."""

    puzzle: str
    proposer: str
    tags: frozenset[str]


class TagUse(msgspec.Struct, frozen=True, kw_only=True):
    """A tag in a proposer's puzzles. frequency: among them; lift: over the frequency among all puzzles."""

    tag: str
    count: int
    frequency: Fraction
    lift: Fraction


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A proposer's topics; None where no tag qualifies."""

    proposer: str
    puzzles: int
    top: TagUse | None  # the most frequent tag
    distinctive: TagUse | None  # of the highest lift
    exclusive: TagUse | None  # the most frequent of those that no other player used


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """How often tags occur among all puzzles."""

    puzzles: int
    tags: int
    tags_a_puzzle: float
    counts: dict[str, int]  # puzzles by tag, the most frequent first
    proposers: dict[str, int]  # proposers by tag
    rare: int  # tags with at most RARE puzzles


def corpus(puzzles: Sequence[Tagged]) -> Corpus:
    """The tags of all puzzles."""
    counts = _counts(puzzles)
    size = len(puzzles)
    return Corpus(
        puzzles=size,
        tags=len(counts),
        tags_a_puzzle=sum(counts.values()) / size if size else 0.0,
        counts=dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
        proposers=dict(Counter(tag for _, tag in {(one.proposer, tag) for one in puzzles for tag in one.tags})),
        rare=sum(count <= RARE for count in counts.values()),
    )


def profiles(puzzles: Sequence[Tagged], least: int = LEAST) -> list[Profile]:
    """Every proposer's topics, by name. least: puzzles that a distinctive tag needs."""
    everywhere = _counts(puzzles)
    found = []
    for proposer in sorted({puzzle.proposer for puzzle in puzzles}):
        own = [puzzle for puzzle in puzzles if puzzle.proposer == proposer]
        uses = _uses(own, everywhere, len(puzzles))
        found.append(
            Profile(
                proposer=proposer,
                puzzles=len(own),
                top=_best(uses, lambda use: use.frequency),
                distinctive=_best([use for use in uses if use.count >= least], lambda use: use.lift),
                exclusive=_best([use for use in uses if use.count == everywhere[use.tag]], lambda use: use.count),
            )
        )
    return found


def _counts(puzzles: Sequence[Tagged]) -> Counter[str]:
    return Counter(tag for puzzle in puzzles for tag in puzzle.tags)


def _uses(own: Sequence[Tagged], everywhere: Mapping[str, int], size: int) -> list[TagUse]:
    return [
        TagUse(
            tag=tag,
            count=count,
            frequency=Fraction(count, len(own)),
            lift=Fraction(count * size, len(own) * everywhere[tag]),
        )
        for tag, count in _counts(own).items()
    ]


def _best(uses: Sequence[TagUse], value: Callable[[TagUse], Fraction | int]) -> TagUse | None:
    return min(uses, key=lambda use: (-value(use), -use.count, use.tag), default=None)
