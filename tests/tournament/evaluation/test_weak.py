"""Weak opponents: what players win from them is found, and what models are told reaches their prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

import antemill as am
from antemill.engine.match import Game, Match
from antemill.solver.policies.file import write_policy
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.analyze import analyze
from antemill.tournament.evaluation.report import report
from antemill.tournament.evaluation.weak_game import GameTree, WeakGame
from antemill.tournament.head_to_head import standard_error
from antemill.tournament.players import BOTS, make_bot, play
from tests.tournament.evaluation.noisy import equilibrium, noisy


@pytest.mark.parametrize("name", ["leduc"])
def test_the_strategy_of_every_bot_is_what_it_plays(name: str) -> None:
    game = Game(am.game(name))
    where = GameTree(game, 10_000)
    random = make_bot("random", game)
    for bot in BOTS:
        weak, player = WeakGame(bot, where), make_bot(bot, game)
        assert weak.best >= weak.gain((weak.strategies[0], weak.strategies[1])) - 1e-9
        means = []
        for seed in range(60):
            for seat in (0, 1):
                match = Match(game, seed)
                play(match, *((random, player) if seat == 0 else (player, random)))
                means.append(weak.estimate(match.transcript(), seat))  # refuses a choice that the strategy never makes
        plain = where.strategy(random, 0), where.strategy(random, 1)
        assert plain[0] is not None
        assert plain[1] is not None
        error = standard_error(means)
        assert error is not None
        assert sum(means) / len(means) == pytest.approx(weak.gain((plain[0], plain[1])), abs=4 * error + 1e-9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Players whose gain is computed, against two weak opponents."""
    home = tmp_path_factory.mktemp("weak")
    (home / "noisy").mkdir()
    for name in ("kuhn", "starter-1"):
        game = Game(am.game(name))
        write_policy(home / "noisy" / f"{name}.parquet", noisy(equilibrium(game), 0.5))
    (home / "eval.toml").write_text(
        '[eval]\ngames = ["kuhn", "starter-1"]\nmatches_per_seat = 2\n'
        '[weak]\nopponents = ["passive", "mixed"]\nmatches_per_seat = 30\nrounds = 3\n'
        '[players.noisy]\npolicy = "noisy"\n[players.perfect]\npolicy = "cfr"\n[players.random]\nbot = "random"\n'
    )
    assert run(["start", str(home / "eval.toml"), "--out", str(home / "run")]) == 0
    return home / "run"


def test_gains_of_players_of_known_policy_are_found_within_their_intervals(folder: Path) -> None:
    card, sheets = analyze(folder)
    held = []
    for player in card.players:
        assert player.gain is not None
        assert set(player.gain) == {"passive", "mixed"}  # bots read no prompts: nothing is told to them
        for one in player.gain.values():
            assert one.share is not None
            assert one.exact is not None
            assert one.gain.low is not None
            assert one.gain.high is not None
            assert one.exact < one.best
            assert one.share.mean == pytest.approx(one.gain.mean / one.best)
            assert one.gain.error is not None
            held.append(abs(one.gain.mean - one.exact) < 4 * one.gain.error)
    assert all(held)  # all players had the same cards, so that they miss together
    assert all(sheet.name != "rounds" for sheet in sheets)
    page = report(folder)
    assert "Use of weak opponents" in page
    assert "To perfect play, “perfect” loses" in page
