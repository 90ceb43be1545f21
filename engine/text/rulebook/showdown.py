"""The showdown: side bets, comparison of hands, the pot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from antemill.engine.rules.spec import DealBoard, Showdown, SideBet
from antemill.engine.text.rulebook.conditions import clause
from antemill.engine.text.rulebook.graph import Graph
from antemill.engine.text.rulebook.wording import FACES, bullet, chips

_HIGH: Final = (
    "the highest ranks of the two are compared; if they are equal, the next highest, and so on. "
    "The first difference decides for the higher rank"
)
_LONGER: Final = "who runs out of cards first in this comparison loses, so any card beats none"
_METRICS: Final = {
    "high": f"High cards: {_HIGH}.",
    "low": "Low cards: the lowest ranks of the two are compared; if they are equal, the next lowest, and so on. "
    "The first difference decides for the lower rank.",
    "sum": "Sum of ranks: the larger sum of all rank values wins. No cards count as 0.",
    "suits": "Longest suit: who has more cards of a single suit (whichever each player has most of) wins. "
    f"If these counts are equal, high cards decide: {_HIGH}.",
    "pairs": "Pairs: the higher rank that is held at least twice wins, and any such pair beats none; more than two "
    "cards of a rank count as a pair. If neither has a pair or both have the same highest pair, high cards decide: "
    f"{_HIGH}.",
}
# What a showdown compares, in a few words.
COMPARED: Final = {
    "high": "high cards",
    "low": "low cards",
    "sum": "sum of ranks",
    "suits": "longest suit",
    "pairs": "pairs",
}


def showdown_lines(phase: Showdown, graph: Graph) -> list[str]:
    """What happens at the showdown, in order."""
    lines = [bullet("Both hands, as they are when this phase begins, are revealed to everyone.")]
    bets = [bet for bet in graph.spec.phases if isinstance(bet, SideBet)]
    if bets:
        order = "" if len(bets) == 1 else " in this order"
        lines.append(bullet(f"Then the side bets that were taken are settled{order}:"))
        lines += [bullet(_settlement(bet), 1) for bet in bets]
    return [*lines, *_comparison(phase, graph), *_award()]


def _settlement(bet: SideBet) -> str:
    return (
        f"**{bet.name}**: if {clause(bet.condition)} (public), whoever took it receives {chips(bet.amount)} from the "
        f"opponent; otherwise whoever took it pays {chips(bet.amount)} to the opponent (at most what the payer has)."
    )


def _comparison(phase: Showdown, graph: Graph) -> list[str]:
    what = "Each player's hand together with the board counts" if phase.board else "Each player's hand alone counts"
    if graph.has(DealBoard) and not phase.board:
        what += "; the board does not"
    lines = [bullet(f"{what}."), bullet(f"**Comparison:** {_METRICS[phase.metric]}")]
    if phase.metric != "sum":
        lines.append(bullet(f"**Unequal numbers of cards:** {_LONGER}."))
    lines.append(bullet("**Empty hands:** an empty hand loses to any other, and two empty hands tie."))
    lines.append(bullet(f"**Rank values:** {_values(graph.spec.deck.ranks)}."))
    if phase.metric != "suits":
        lines.append(bullet("**Suits** play no part in the comparison."))
    return lines


def _values(ranks: Sequence[int]) -> str:
    faces = [f"{FACES[value]}={value}" for value in ranks if value in FACES]
    if len(faces) < len(ranks):
        faces.append("a number counts as itself")
    return ", ".join(faces)


def _award() -> list[str]:
    return [
        bullet("The better hand takes the whole pot."),
        bullet(
            "**Ties:** if nothing decides, each player receives half of the pot, rounded down, and an odd chip goes to "
            "one of them at random."
        ),
        bullet("The game ends."),
    ]
