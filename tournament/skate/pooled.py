"""TrueSkill over several games of SKATE, their questions one after another as of one game, and the games' figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from antemill.engine.errors import UsageError
from antemill.tournament.skate import results
from antemill.tournament.skate.analyze import comparison, load
from antemill.tournament.statistics.board import Board
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet
from antemill.tournament.statistics.trueskill import RULES, rate_questions


def pooled(runs: Mapping[str, Path]) -> Board | None:
    """Ratings of all players over all games, and in each alone; None if nobody has answered anything in any.

    runs: folders by name. Raises UsageError or StorageError.
    """
    games = {}
    for name, path in runs.items():
        try:
            games[name] = load(path)[0]
        except UsageError:  # nobody has answered anything
            continue
    if not games:
        return None
    players = [*dict.fromkeys(name for game in games.values() for name in game.players)]
    questions = [
        [game.share(question.number, player) for player in players]
        for game in games.values()
        for question in game.questions
    ]
    columns = [Column("player", "Player", "text")]
    rows: dict[str, list[Cell]] = {player: [player] for player in players}
    for rule, compare in RULES.items():
        columns += [Column(f"{rule}_mu", f"{rule}: mu"), Column(f"{rule}_sigma", "sigma")]
        average = rate_questions(questions, len(players), compare).average()
        for player, (mu, sigma) in zip(players, average, strict=True):
            rows[player] += [float(mu), float(sigma)]
    rule = next(iter(RULES))
    for i, (name, game) in enumerate(games.items() if len(games) > 1 else ()):
        columns.append(Column(f"alone_{i}", name, group=f"In one game alone ({rule}: mu)"))
        alone = dict(zip(game.players, results.rate(game, rule).average()[:, 0].tolist(), strict=True))
        for player in players:
            rows[player].append(alone.get(player, Missing("plays no part in it")))
    mean = columns.index(next(column for column in columns if column.key == f"{rule}_mu"))
    order = sorted(rows.values(), key=lambda row: -float(str(row[mean])))
    several = (
        ", one game after another in the order in which the runs were named, so later games weigh more. A player is a "
        "name: the same name is taken for the same player"
    )
    note = (
        f"TrueSkill over {len(questions):,} questions, averaged over the last 100 updates"
        f"{several if len(games) > 1 else ''}. A question counts between the players who answered it."
    )
    beside = [(name, runs[name], game) for name, game in games.items()]
    charts = comparison(beside) if len(games) > 1 else {}
    return Board(Sheet("pooled", "Leaderboard of SKATE", columns, order, note), charts)
