"""Which questions tell players apart, in how many niches, and why attempts failed (SKATE section 4, figure 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from antemill.tournament.skate.results import Game, Question, spreads


class Niches(Struct, frozen=True):
    """One setter. niches: different clusters of its questions; None without clusters. *_discriminatory: of those that
    only the setter answers.
    """

    setter: str
    questions: int
    discriminatory: int
    niches: int | None
    discriminatory_niches: int | None


def niches(game: Game, clusters: Sequence[int] | None) -> list[Niches]:
    """Every player's. clusters: of the questions in their order, None if there are none."""
    telling = {one.number for one in spreads(game) if one.discriminatory}
    found = []
    for player in game.players:
        own = [i for i, question in enumerate(game.questions) if question.setter == player]
        kept = [i for i in own if game.questions[i].number in telling]
        counts = [None if clusters is None else len({clusters[i] for i in some}) for some in (own, kept)]
        found.append(Niches(player, len(own), len(kept), *counts))
    return found


def largest(game: Game, clusters: Sequence[int]) -> list[list[Question]]:
    """Figure 10: the questions of each cluster with two or more, the largest first."""
    found: dict[int, list[Question]] = {}
    for question, cluster in zip(game.questions, clusters, strict=True):
        found.setdefault(cluster, []).append(question)
    return sorted((some for some in found.values() if len(some) > 1), key=lambda some: (-len(some), some[0].number))


def failed_attempts(rows: Sequence[Mapping[str, Any]]) -> Counter[tuple[str, str, str]]:
    """How often (setter, rule, why) was the reason of a failed attempt. rows: of slots, empty ones among them.

    rule: not verifiable, not enough distractors, not unique enough. why: without what differs from case to case.
    """
    return Counter(
        (row["setter"], rule, why.strip().partition(" (")[0] if rule != "not unique enough" else "")
        for row in rows
        for failure in row["failures"]
        for rule, _, why in [failure["reason"].partition(":")]
    )
