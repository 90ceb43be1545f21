"""The price of not being able to randomise: what a model loses more by one action than by a stated mix, on the same
cards."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from antemill.tournament import head_to_head as pairs
from antemill.tournament.evaluation.findings import Findings, PlayerFindings
from antemill.tournament.statistics.losses import Loss, interval, these
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet, count, number, text


class Price(Struct, frozen=True):
    """A model that is in a run with both ways to answer. player: the one with a mix; beside: the one with an action.
    price: chips a match that the latter loses more, over the pairs of matches that both have played."""

    player: str
    beside: str
    losses: tuple[float, float]
    price: Loss
    pairs: int


def prices(found: Findings) -> list[Price]:
    """All prices of a run; none where no model answers in both ways."""
    by_name = {one.name: one for one in found.players}
    return [
        price
        for mixing, acting in _twins(found)
        if mixing in by_name and acting in by_name
        for price in _price(by_name[mixing], by_name[acting])
    ]


def _twins(found: Findings) -> Iterator[tuple[str, str]]:
    """The names of the players that one model is, with a mix and with an action."""
    players = found.config.players
    for mixing, one in players.items():
        for acting, other in players.items():
            same = one.model is not None and one.model == other.model
            if same and one.answer == "mix" and other.answer != "mix":
                yield mixing, acting


def _price(mixing: PlayerFindings, acting: PlayerFindings) -> Iterator[Price]:
    other = {one.game: one.by_pair for one in acting.games}
    parts = []
    for game in mixing.games:
        both = [run for run in game.by_pair if run in other.get(game.game, {})]
        if both:
            more = [other[game.game][run] - game.by_pair[run] for run in both]
            parts.append((sum(more) / len(more), pairs.standard_error(more), len(more) - 1))
    if parts:
        losses = mixing.suite.chips.mean, acting.suite.chips.mean
        whole = these(parts) if all(free > 0 for _, _, free in parts) else interval(_mean(parts), None, 0)
        yield Price(mixing.name, acting.name, losses, whole, sum(free + 1 for _, _, free in parts))


def _mean(parts: list[tuple[float, float | None, int]]) -> float:
    return sum(mean for mean, _, _ in parts) / len(parts)


def price_sheet(found: Findings) -> Sheet | None:
    """A row for each model that answers in both ways; None without one."""
    made = prices(found)
    columns = [text("player", "With a mix"), text("beside", "With one action"), count("pairs", "Pairs")]
    columns += [number("mixing", "Loss with a mix", 3), number("acting", "Loss with one action", 3)]
    columns += [number("price", "Price", 3), number("low", "low", 3), number("high", "high", 3)]
    rows: list[list[Cell]] = [
        [one.player, one.beside, one.pairs, *one.losses, one.price.mean, *_bounds(one.price)] for one in made
    ]
    note = (
        "Chips a match. The price of not being able to randomise: what the model loses more when it names one action "
        "than when it states probabilities from which we draw, pair by pair on the same cards."
    )
    return Sheet("mixing", "The price of not being able to randomise", columns, rows, note) if rows else None


def _bounds(one: Loss) -> list[Cell]:
    return [Missing("one pair of matches only") if bound is None else bound for bound in (one.low, one.high)]
