"""The tables about weak opponents."""

from __future__ import annotations

import math

from antemill.tournament.evaluation.gains import Gain, Gains
from antemill.tournament.statistics.losses import Loss
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet, count, number, text

CONDITIONS = {"": "not told", "told": "told", "rounds": "round after round"}
_NOTHING, _ONE, _OWN = "nothing can be gained", "one pair of matches only", "the player's policy is not known"


def gain_sheet(found: Gains) -> Sheet | None:
    """A row for each player, opponent and condition; None without weak opponents."""
    if not found.gains:
        return None
    columns = [text("player", "Player"), text("opponent", "Opponent"), text("condition", "Condition")]
    columns += [count("matches", "Matches"), number("gain", "Gain", 3), number("low", "low", 3)]
    columns += [number("high", "high", 3), number("best", "Best response", 3)]
    columns += [_percent("share", "Share of it"), _percent("share_low", "low"), _percent("share_high", "high")]
    columns += [_percent("exact", "Share exactly"), _percent("perfect", "Equilibrium's share")]
    note = (
        "Chips a match, the mean of both seats and of all games, without luck (AIVAT); shares are of what a best "
        "response to the opponent gains. Exactly: computed from the player's own policy."
    )
    return Sheet("gains", "Use of weak opponents", columns, [_row(one) for one in found.gains], note)


def _row(one: Gain) -> list[Cell]:
    cells: list[Cell] = [one.player, one.bot, CONDITIONS[one.condition], sum(game.matches for game in one.games)]
    exact = None if one.exact is None or one.best <= 0 else one.exact / one.best
    perfect = Missing(_NOTHING) if one.best <= 0 else one.perfect / one.best
    cells += [*_loss(one.gain), one.best, *_loss(one.share), Missing(_OWN) if exact is None else exact]
    return [*cells, perfect]


def gains_by_game_sheet(found: Gains) -> Sheet | None:
    """The same game by game."""
    if not found.gains:
        return None
    columns = [text("player", "Player"), text("opponent", "Opponent"), text("condition", "Condition")]
    columns += [text("game", "Game"), count("matches", "Matches"), number("gain", "Gain", 3), number("low", "low", 3)]
    columns += [number("high", "high", 3), number("exact", "Exactly", 3), number("best", "Best response", 3)]
    columns.append(number("perfect", "Equilibrium", 3))
    rows: list[list[Cell]] = []
    for one in found.gains:
        for game in one.games:
            exact = Missing(_OWN) if game.exact is None else game.exact
            rows.append([one.player, one.bot, CONDITIONS[one.condition], game.game, game.matches, *_loss(game.gain)])
            rows[-1] += [exact, game.best, game.perfect]
    note = "Chips a match. Best response and equilibrium: what they gain against the same opponent, computed."
    return Sheet("gains_by_game", "Use of weak opponents by game", columns, rows, note)


def rounds_sheet(found: Gains) -> Sheet | None:
    """The gain round by round; None without rounds."""
    if not found.rounds:
        return None
    columns = [text("player", "Player"), text("opponent", "Opponent"), count("round", "Round")]
    columns += [count("matches", "Matches"), number("gain", "Gain", 3), number("low", "low", 3)]
    columns += [number("high", "high", 3), _percent("share", "Share of the best response's")]
    rows: list[list[Cell]] = [
        [one.player, one.bot, one.round, one.matches, *_loss(one.gain), _loss(one.share)[0]] for one in found.rounds
    ]
    note = (
        "Chips a match. In each round the prompt has the player's records of all earlier rounds against the same "
        "opponent: gains that grow are adaptation."
    )
    return Sheet("rounds", "Gain by round", columns, rows, note)


def _percent(key: str, head: str) -> Column:
    return Column(key, head, "share", 1)


def _loss(one: Loss) -> list[Cell]:
    if math.isnan(one.mean):
        return [Missing(_NOTHING)] * 3
    return [one.mean, *(Missing(_ONE) if bound is None else bound for bound in (one.low, one.high))]
