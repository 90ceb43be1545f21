"""The decision of a tournament that gave most away by the equilibrium: the example to which its report leads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from antemill.engine.match import DecisionRecord
from antemill.tournament.cards.disagreements import judged_matches
from antemill.tournament.cards.equilibrium import MISTAKE, Judged
from antemill.tournament.pages.evidence import item, listed
from antemill.tournament.pages.run import Example
from antemill.tournament.runs import Record

SWINGS = Example(listed(("sort", "-swing")), "The matches in which the lead moved most", "")


class Mistake(Struct, frozen=True):
    """A decision. item: its match; number: among the decisions of the match, from 0; match: as lists name it; better:
    what the equilibrium plays there instead; cost: chips.
    """

    player: str
    other: str
    match: str
    item: str
    number: int
    choice: str
    better: str
    cost: float


def costliest(folder: Path, done: Sequence[Record], best: str) -> Mistake | None:
    """The first of the costliest decisions, against the player `best` if there is such a one; None if no decision of a
    solved game is known to give anything away. A random action in place of a reply is no decision. Arguments as for
    `antemill.tournament.cards.disagreements.played`.
    """
    found, rank = None, (MISTAKE, False)
    for record, slot, _, match, judged in judged_matches(folder, done):
        players = slot.alice, slot.bob
        for number, one in enumerate(judged):
            other = players[1 - one.seat]
            mine = round(one.given, 4), other == best
            if mine > rank and match.moves[number].cause is None:
                choice, better = _named(match.transcript.decisions[number], one)
                name = f"{slot.about} #{slot.run + 1}"
                found = Mistake(players[one.seat], other, name, record.item.key, number, choice, better, one.given)
                rank = mine
    return found


def _named(decision: DecisionRecord, judged: Judged) -> tuple[str, str]:
    """What was chosen, and what the equilibrium plays most often among the choices that give nothing away."""
    gives = judged.gives or ()
    right = [k for k, one in enumerate(gives) if one is not None and one <= MISTAKE]
    better = max(right, key=lambda k: judged.mix[k])
    return str(decision.choice), decision.options[better] if decision.options else str(decision.low + better)


def example(player: str, choice: str, where: str, better: str, cost: float, address: str) -> Example:
    """A costly decision in a sentence that leads to it."""
    said = f"{player} chose {choice} {where}. With perfect play by both from there, {better} is worth"
    return Example(address, "The costliest decision in a solved game:", f" {said} {cost:.2f} chips more on average.")


def example_of(found: Mistake | None) -> Example:
    """The example of a tournament; where no decision is known to cost anything, the matches that swung most."""
    if found is None:
        return SWINGS
    to = item(found.item, f"d{found.number}")
    where = f"against {found.other} in match {found.match}"
    return example(found.player, found.choice, where, found.better, found.cost, to)
