"""Weak opponents: what players win from them is found, and what models are told reaches their prompts."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import antemill as am
from antemill.engine.match import Game, Match
from antemill.llm import Model, Request
from antemill.solver.policies.file import write_policy
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.analyze import analyze
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.evaluation.report import report
from antemill.tournament.evaluation.weak_game import GameTree, WeakGame
from antemill.tournament.head_to_head import standard_error
from antemill.tournament.players import BOTS, make_bot, play
from antemill.tournament.runs import start_run
from tests.local_model import as_toml
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


def reader(request: Request) -> str:
    """Bets whatever it has if it was told that its opponent never folds, or after it has seen two matches."""
    knows = "never folds" in request.system or "### Match 2" in request.system
    asked = request.messages[-1].text
    strong = "Your hand: K" in asked
    if '"bet"' in asked:
        return '{"action": "bet"}' if knows and strong else '{"action": "check"}'
    return '{"action": "call"}' if strong else '{"action": "fold"}'


def test_models_are_told_the_rule_and_what_they_have_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = Model(name="reader", protocol="scripted", model="reader")
    (tmp_path / "models.toml").write_text(as_toml(model))
    path = tmp_path / "eval.toml"
    path.write_text(
        '[eval]\ngames = ["kuhn"]\nmatches_per_seat = 1\n'
        '[weak]\nopponents = ["passive"]\nmatches_per_seat = 20\nrounds = 4\nsequences = 12\n'
        '[players.reader]\nmodel = "reader"\n'
    )
    asked: list[Request] = []

    def script(request: Request) -> str:
        asked.append(request)
        return reader(request)

    with start_run(EVALUATION, path, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"reader": script})
    card, sheets = analyze(tmp_path / "run")
    [player] = card.players
    assert player.gain is not None
    assert set(player.gain) == {"passive", "passive-told", "passive-rounds"}
    assert player.gain["passive-told"].gain.mean > player.gain["passive"].gain.mean + 0.1
    rounds = [one.mean for one in player.gain["passive-rounds"].rounds if one is not None]
    assert len(rounds) == 4
    assert min(rounds[2:]) > max(rounds[:2]) + 0.1
    assert any(sheet.name == "rounds" for sheet in sheets)
    told = [request for request in asked if "## Your Opponent" in request.system]
    later = [request for request in asked if "### Match 3" in request.system]
    assert told
    assert later
    assert all("Where it can check or pass, it does" in request.system for request in told)
    assert all("### Match 4" not in request.system for request in asked)
    assert all(request.system.count("Your result: ") == 3 for request in later)
    assert sum(one.matches for one in card.players) == 2
    assert msgspec.to_builtins(player.gain["passive"].exact) is None  # a model's policy is not known
    assert run(["start", str(path), "--dry-run"]) == 0
    assert "reader" in capsys.readouterr().out
