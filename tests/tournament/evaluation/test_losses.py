"""Losses of players of known strength, and what their intervals promise."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from antemill.engine.match import Game
from antemill.engine.rules.named import kuhn
from antemill.solver.evaluation.transcripts import aivat_for
from antemill.tournament import head_to_head as pairs
from antemill.tournament.evaluation.losses import GameLoss, game_loss, like_these, suite_loss
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.statistics.losses import Loss, interval, mean_of, skewed, these
from tests.tournament.evaluation.noisy import equilibrium, exact_loss, noisy


def test_the_loss_of_players_of_known_strength_is_found_as_often_as_promised() -> None:
    game = Game(kuhn())
    saved = equilibrium(game)
    player = noisy(saved, 1.0)
    truth = exact_loss(game, player, saved)
    assert truth > 0.05
    method = aivat_for(game.program, saved.table)
    seats = SolvedPlayer("player", player, game), SolvedPlayer("perfect", saved, game)
    hits, widths = 0, []
    for seed in range(60):
        seeds = pairs.play_seeds(game.digest, "player", "perfect", 20, seed)
        found = game_loss("kuhn", pairs.play_pairs(game, *seats, seeds, method), 1.0)
        assert found.loss.low is not None
        assert found.loss.high is not None
        assert found.ratio is not None
        hits += found.loss.low <= truth <= found.loss.high
        widths.append(found.ratio)
    assert 51 <= hits <= 60  # 57 are expected; fewer than 51 come about one time in a hundred
    assert sum(widths) / len(widths) < 0.6  # AIVAT saves matches


def test_perfect_play_loses_nothing() -> None:
    game = Game(kuhn())
    saved = equilibrium(game)
    seats = SolvedPlayer("same", saved, game), SolvedPlayer("perfect", saved, game)
    seeds = pairs.play_seeds(game.digest, "same", "perfect", 20)
    found = game_loss("kuhn", pairs.play_pairs(game, *seats, seeds, aivat_for(game.program, saved.table)), 1.0)
    assert found.loss.mean == pytest.approx(0, abs=1e-9)


def test_the_suite_weighs_games_alike_and_its_intervals_are_those_of_skewed_sums() -> None:
    games = [_game("a", [1.0, 3.0], 2.0), _game("b", [5.0, 5.0], 4.0)]
    found = suite_loss(games)
    assert found.chips.mean == pytest.approx(3.5)
    assert found.units.mean == pytest.approx((2 / 2 + 5 / 4) / 2)
    assert found.chips.error == pytest.approx(0.5)  # the root of 1 + 0 over 2
    student = these([(2.0, 1.0, 1), (5.0, 0.0, 1)])
    assert student.high == pytest.approx(3.5 + 12.706 * 0.5, abs=1e-3)  # one degree of freedom
    assert found.chips == skewed(student, 5 / 4, 0.0)  # one pair of four has added 5 / 4
    assert found.chips.low is not None
    assert 0 < found.chips.low < 3.5 < 3.5 + 12.706 * 0.5 < (found.chips.high or 0)
    assert found.chips_like.error == pytest.approx(1.5)
    assert interval(1.0, 0.1, 1e9).high == pytest.approx(1.196, abs=1e-3)


def test_matches_without_a_mistake_leave_room_for_one_in_so_many() -> None:
    """A mistake is a hundredth of the game's unit; the room is that of the game with the fewest pairs."""
    few, many = _game("a", [0.0, 0.01, -0.01], 2.0), _game("b", [0.0] * 27, 1.0)
    found = suite_loss([few])
    assert few.most == 0.01  # the largest that a match came to
    assert found.chips.high == pytest.approx(max(these([(0.0, few.loss.error, 2)]).high or 0.0, 3.7 / 3 * few.most))
    both = suite_loss([replace(few, most=6.0), replace(many, most=4.0)])
    assert both.chips.high == pytest.approx(3.7 * 6.0 / 3 / 2)
    assert both.units.high == pytest.approx(3.7 * 3.0 / 3 / 2)


def test_a_loss_is_never_below_zero_unless_luck_puts_its_mean_there() -> None:
    """Of a game, and of games like these, whose losses are far apart."""
    rare, often, lucky = _game("a", [0.0] * 9 + [2.0], 1.0), _game("b", [1.0, 5.0], 1.0), _game("c", [-1.0, 0.5], 1.0)
    for one in (rare, often):
        assert one.loss.low is not None
        assert one.loss.high is not None
        student = mean_of([*one.by_pair.values()])
        assert student.low is not None
        assert student.low < 0 < one.loss.low < one.loss.mean < (student.high or 0) <= one.loss.high
    assert lucky.loss == mean_of([-1.0, 0.5])
    found = suite_loss([rare, often])
    for like in (found.chips_like, found.units_like):
        assert like.low is not None
        assert like.high is not None
        assert 0 <= like.low < like.mean < like.high
    assert like_these([(0.2, 0.1, 9), (3.0, 1.0, 1)]).low == pytest.approx(1.6 - 12.706 * 1.4, abs=1e-3)


def test_a_match_without_the_other_seat_is_in_no_pair() -> None:
    """What a match alone comes to depends on its seat, so it is compared with nothing."""
    matches = [pairs.MatchResult(run, run, seat, -2.0, -2.0) for run, seat in ((0, 0), (0, 1), (1, 0))]
    assert dict(game_loss("kuhn", matches, 1.0).by_pair) == {0: 1.0}


def test_what_can_not_be_known_is_none() -> None:
    one = _game("a", [1.0], 1.0)
    assert (one.loss.error, one.loss.low, one.ratio) == (None, None, None)
    assert these([(1.0, None, 0), (2.0, 0.1, 5)]) == Loss(1.5, None, None, None)
    assert these([(1.0, 0.0351, 1)]).low == pytest.approx(1 - 12.706 * 0.0351, abs=1e-3)
    assert like_these([(1.0, 0.1, 3)]) == Loss(1.0, None, None, None)
    assert these([(1.0, 0.0, 3), (2.0, 0.0, 3)]) == Loss(1.5, 0.0, 1.5, 1.5)
    assert not math.isnan(suite_loss([_game("a", [1.0, 2.0], 0.0), one]).units.mean)


def _game(name: str, losses: list[float], unit: float) -> GameLoss:
    matches = [
        pairs.MatchResult(run, run, seat, -2 * loss, -2 * loss) for run, loss in enumerate(losses) for seat in (0, 1)
    ]
    return game_loss(name, matches, unit)
