"""The tables about whole policies of small games."""

from __future__ import annotations

from collections.abc import Sequence

from antemill.engine.text.labels import SEATS
from antemill.tournament.evaluation.whole import Whole
from antemill.tournament.statistics.losses import Loss, above_zero, these
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet, count, number, text

_STATED, _OWN, _MANY = "without several answers there is no spread", "the player's policy is not known", 10**9


def whole_sheet(found: Sequence[Whole]) -> Sheet | None:
    """A row for each player and game; None without questions."""
    if not found:
        return None
    columns = [text("player", "Player"), text("game", "Game"), count("sets", "Decisions"), count("samples", "Answers")]
    columns += [number("exploitability", "Exploitability", 3), number("low", "low", 3), number("high", "high", 3)]
    columns += [number("observed", "As observed", 3), number("exact", "Exactly", 3)]
    columns += [number("value", "Value", 3), number("alice", "Best against Alice", 3), number("bob", "against Bob", 3)]
    columns += [number("loss", "Loss", 3), number("loss_low", "low", 3), number("loss_high", "high", 3)]
    rows: list[list[Cell]] = []
    for one in found:
        exact = Missing(_OWN) if one.exact is None else one.exact[0]
        rows.append([one.player, one.game, one.sets, one.samples, *_cells(one.exploitability), one.observed, exact])
        rows[-1] += [one.value, *one.responses, *_cells(one.loss)]
    note = (
        "The player was asked at every decision of both seats (information sets). Exploitability: chips a match that a "
        "best response wins from it, the mean of both seats, less the excess that few answers bring; as observed: with "
        "it. Value: what Alice wins if it plays both seats. Best against Alice, against Bob: what a best response wins "
        "from it in that seat, as observed. Loss: to the equilibrium. Exactly: computed from the player's own policy."
    )
    return Sheet("policies", "Whole policies of small games", columns, rows, note)


def punished_sheet(found: Sequence[Whole]) -> Sheet | None:
    """The decisions that best responses punish most; None without any."""
    columns = [text("player", "Player"), text("game", "Game"), text("seat", "Seat"), text("phase", "Decision")]
    columns += [text("mix", "Played"), text("best", "Best"), number("cost", "Punished by", 3, False)]
    columns.append(text("item", "Question"))
    rows: list[list[Cell]] = [
        [one.player, one.game, SEATS[each.seat], each.phase, each.mix, each.best, each.cost, each.item]
        for one in found
        for each in one.punished
    ]
    note = (
        "Chips a match that the player would win more against the best response to its whole policy if it played the "
        "best action at this decision. What it saw there: `antemill show` with the question."
    )
    return Sheet("punished", "The decisions that a best response punishes most", columns, rows, note) if rows else None


def mean_exploitability(found: Sequence[Whole]) -> Loss | None:
    """The mean over a player's games; None without any."""
    if not found:
        return None
    return above_zero(these([(one.exploitability.mean, one.exploitability.error, _MANY) for one in found]))


def _cells(one: Loss) -> list[Cell]:
    return [one.mean, *(Missing(_STATED) if bound is None else bound for bound in (one.low, one.high))]
