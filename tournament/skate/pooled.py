"""TrueSkill over several games of SKATE, with their questions in sequence as of one game, and the games' figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from antemill.engine.errors import UsageError
from antemill.tournament.skate import results
from antemill.tournament.skate.analyze import comparison, load
from antemill.tournament.skate.results import Game, Question
from antemill.tournament.skate.sampling import Score
from antemill.tournament.statistics.board import Board, Together, rated_together
from antemill.tournament.statistics.sheets import Cell, Column, Sheet
from antemill.tournament.statistics.trueskill import RULES


def pooled(runs: Mapping[str, Path]) -> Board | None:
    """Ratings of all players over all games, and in each alone; see `rated_together`."""
    return rated_together(runs, _read, lambda found: _rated(runs, found))


def _read(_name: str, path: Path) -> Game | None:
    try:
        return load(path)[0]
    except UsageError:  # no question is answered
        return None


def _rated(runs: Mapping[str, Path], games: Mapping[str, Game]) -> Together[Game]:
    whole = together([*games.values()])
    players = whole.players
    columns = [Column("player", "Player", "text")]
    rows: dict[str, list[Cell]] = {player: [player] for player in players}
    for rule in RULES:
        columns += [Column(f"{rule}_mu", f"{rule}: mu"), Column(f"{rule}_sigma", "sigma")]
        average = results.rate(whole, rule).average()
        for player, (mu, sigma) in zip(players, average, strict=True):
            rows[player] += [float(mu), float(sigma)]
    first = next(iter(RULES))
    order = sorted(rows.values(), key=lambda row: -float(str(row[1])))  # by mu under the first rule
    several = (
        ", one game after another in the order in which the runs were named, so later games weigh more. Players with "
        "the same name count as one player"
    )
    note = (
        f"TrueSkill over {len(whole.questions):,} questions. {whole.rating} Averaged over the last 100 updates"
        f"{several if len(games) > 1 else ''}. A question counts between the players who answered it."
    )
    charts = comparison([(name, runs[name], game) for name, game in games.items()]) if len(games) > 1 else {}
    return Together(
        Board(Sheet("pooled", "Leaderboard of SKATE", columns, order, note), charts),
        lambda game: dict(zip(game.players, results.rate(game, first).average()[:, 0].tolist(), strict=True)),
        Column("alone", "", group=f"In one game alone ({first}: mu)"),
    )


def together(games: Sequence[Game]) -> Game:
    """The games as one, with their questions in sequence, rated as the first one."""
    questions: list[Question] = []
    scores: dict[int, dict[str, Score]] = {}
    for game in games:
        first = max((question.number for question in questions), default=0)
        questions += [replace(question, number=first + question.number) for question in game.questions]
        scores |= {first + number: found for number, found in game.scores.items()}
    players = tuple(dict.fromkeys(name for game in games for name in game.players))
    return replace(games[0], players=players, questions=questions, scores=scores)
