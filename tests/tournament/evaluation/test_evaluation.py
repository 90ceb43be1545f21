"""`antemill eval` from the command to the scorecard, the tables, the page and the comparison."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import antemill as am
from antemill.engine.match import Game
from antemill.solver.policies.file import write_policy
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation import suites
from antemill.tournament.evaluation.config import EvalConfig
from antemill.tournament.evaluation.scorecard import Scorecard
from antemill.tournament.evaluation.suites import SUITES, suite_digest
from antemill.tournament.runs import RunFolder, read_config
from tests.tournament.analysed import rows
from tests.tournament.evaluation.noisy import equilibrium, exact_loss, noisy

SHARE = 0.5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluation of three players of known strength on two small games."""
    home = tmp_path_factory.mktemp("eval")
    policies = home / "noisy"
    policies.mkdir()
    for name in ("kuhn", "starter-1"):
        game = Game(am.game(name))
        write_policy(policies / f"{name}.parquet", noisy(equilibrium(game), SHARE))
    (home / "eval.toml").write_text(
        '[eval]\ngames = ["kuhn", "starter-1"]\nmatches_per_seat = 25\nseed = 3\n'
        '[players.noisy]\npolicy = "noisy"\n[players.perfect]\npolicy = "cfr"\n[players.random]\nbot = "random"\n'
    )
    assert run(["start", str(home / "eval.toml"), "--out", str(home / "score")]) == 0
    assert run(["analyze", str(home / "score")]) == 0
    return home / "score"


def card(folder: Path) -> Scorecard:
    return msgspec.json.decode((folder / "scorecard.json").read_bytes(), type=Scorecard)


def test_players_of_known_strength_are_scored_as_computed(folder: Path) -> None:
    players = {one.name: one for one in card(folder).players}
    assert [one.name for one in card(folder).players] == sorted(players, key=lambda name: players[name].loss.mean)
    truth = []
    for name in ("kuhn", "starter-1"):
        game = Game(am.game(name))
        saved = equilibrium(game)
        truth.append(exact_loss(game, noisy(saved, SHARE), saved))
        found = players["noisy"].by_game[name]
        assert found.low is not None
        assert found.high is not None
        assert found.low <= truth[-1] <= found.high
        assert found.high - found.low < 1
    whole = players["noisy"].loss
    assert whole.low is not None
    assert whole.high is not None
    assert 0 < whole.low <= sum(truth) / 2 <= whole.high
    assert players["perfect"].loss.mean == pytest.approx(0, abs=1e-3)
    assert players["perfect"].regret is not None
    assert players["perfect"].regret.mean == pytest.approx(0, abs=1e-3)
    assert players["random"].loss.mean > whole.mean


def test_regrets_add_up_to_the_loss(folder: Path) -> None:
    """By the equilibrium, what all decisions of a match give away is what the match loses on average."""
    for one in card(folder).players:
        decisions = one.moves
        assert one.regret is not None
        assert one.regret.mean * decisions / one.matches == pytest.approx(one.loss.mean, abs=0.12)
    kinds = {one.name: set(one.by_kind) for one in card(folder).players}["random"]
    assert {"all", "bet", "call"} <= kinds


def test_a_scorecard_says_what_was_played_and_repeats(folder: Path, tmp_path: Path) -> None:
    found = card(folder)
    assert (found.schema, found.suite.name, found.protocol.matches_per_seat, found.protocol.seed) == (3, "games", 25, 3)
    specs = [am.game(one.game) for one in found.suite.games]
    assert found.suite.digest == suite_digest(map(am.engine.canonical_digest, specs))
    kuhn_card = found.suite.games[0]
    assert kuhn_card.value == pytest.approx(-1 / 18)
    assert kuhn_card.exploitability is not None
    assert kuhn_card.exploitability < 1e-4
    assert 1 < kuhn_card.deviation < 2  # chips; payoffs are 1 or 2
    again = tmp_path / "again"
    assert run(["start", str(folder.parent / "eval.toml"), "--out", str(again)]) == 0
    assert run(["analyze", str(again)]) == 0
    fresh = card(again)
    assert msgspec.structs.replace(fresh, seconds=0.0) == msgspec.structs.replace(found, seconds=0.0)


def test_all_players_have_the_same_cards(folder: Path) -> None:
    table = rows(folder).to_pylist()
    dealt: dict[str, set[tuple[str, int, int]]] = {}
    for row in table:
        player = row["alice"] if row["bob"] == "equilibrium" else row["bob"]
        dealt.setdefault(player, set()).add((row["game"], row["run"], row["play_seed"]))
    assert len(table) == 3 * 2 * 50
    assert dealt["noisy"] == dealt["random"] == dealt["perfect"]


def test_two_players_are_compared_on_the_same_cards(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _document(capsys, "analyze", f"{folder}:random", f"{folder}:perfect", "--json")
    players = {one.name: one for one in card(folder).players}
    assert found["difference"]["mean"] == pytest.approx(players["random"].loss.mean - players["perfect"].loss.mean)
    assert found["pairs"] == 50
    same = _document(capsys, "analyze", f"{folder}:random", f"{folder / 'scorecard.json'}:random", "--json")
    assert (same["difference"]["mean"], same["difference"]["error"]) == (0, 0)
    assert same["unpaired"] > 0
    assert run(["analyze", f"{folder}:random", f"{folder}:noisy"]) == 0
    assert "random loses more than noisy" in capsys.readouterr().out
    assert run(["analyze", str(folder), f"{folder}:random"]) == 2
    assert "has several players" in capsys.readouterr().err
    assert run(["analyze", f"{folder}:ada", f"{folder}:random"]) == 2
    assert "has no player 'ada': it has" in capsys.readouterr().err
    assert run(["analyze", str(folder), f"{folder}/"]) == 2
    assert "is named twice" in capsys.readouterr().err


def test_players_of_other_cards_are_not_compared(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (folder.parent / "eval.toml").read_text().replace("seed = 3", "seed = 4").replace("= 25", "= 1")
    (folder.parent / "other.toml").write_text(text)
    other = tmp_path / "other"
    assert run(["start", str(folder.parent / "other.toml"), "--out", str(other)]) == 0
    assert run(["analyze", str(other)]) == 0
    assert run(["analyze", f"{folder}:random", f"{other}:random"]) == 2
    assert "were not played on the same cards" in capsys.readouterr().err
    assert card(other).players[0].by_game["kuhn"].low is None  # of one pair there is no interval
    damaged = tmp_path / "scorecard.json"
    damaged.write_text((other / "scorecard.json").read_text().replace('"schema": 3', '"schema": 1'))
    assert run(["analyze", f"{damaged}:random", f"{other}:random"]) == 2
    assert "has schema 1, and this antemill reads 3" in capsys.readouterr().err
    for wrong, message in (
        ("nowhere", "there is no file nowhere"),
        ("reference", "reference has several players"),
        ("reference:nobody", "reference has no player 'nobody'"),
    ):
        assert run(["analyze", wrong, f"{other}:random"]) == 2
        assert message in capsys.readouterr().err


def test_one_command_scores_players(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ("kuhn", "starter-1")  # all eight take ten seconds
    monkeypatch.setitem(SUITES, "starter", few)
    (tmp_path / "p.py").write_text(
        "class First:\n    name = 'first'\n    def __init__(self, game): pass\n"
        "    def choose(self, observation): return observation.menu.choice(0)\n"
    )
    out = tmp_path / "score"
    names = ["bot:passive", "policy:cfr", f"script:{tmp_path / 'p.py'}:First"]
    found = _document(capsys, "eval", *names, "--matches", "1", "--out", str(out), "--json")
    assert set(found) == {"players", "suite", "finished", "planned", "complete", "seconds", "cost"}
    assert (found["finished"], found["planned"], found["complete"]) == (12, 12, True)
    assert sorted(one["name"] for one in found["players"]) == ["First", "cfr", "passive"]
    assert found["suite"]["digest"] == suite_digest(am.engine.canonical_digest(am.game(one)) for one in few)
    assert [one["matches"] for one in found["players"]] == [4, 4, 4]
    assert read_config(RunFolder(out).config, EvalConfig).eval.suite == "starter"
    assert run(["eval", *names, "--matches", "2", "--out", str(out)]) == 2  # another run is there
    assert "another" in capsys.readouterr().err


def test_a_suite_may_be_a_file_that_lists_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "games.txt"
    listed.write_text("# two games\nkuhn\n\n17@0  # starter-1 by its seed\n")
    out = tmp_path / "score"
    found = _document(
        capsys, "eval", "bot:passive", "--suite", str(listed), "--matches", "1", "--out", str(out), "--json"
    )
    assert found["suite"]["name"] == "games"
    assert found["suite"]["digest"] == suite_digest(
        am.engine.canonical_digest(am.game(one)) for one in ("kuhn", "17@0")
    )
    listed.write_text("# none\n")
    assert run(["eval", "bot:passive", "--suite", str(listed), "--dry-run"]) == 2
    assert "lists no game" in capsys.readouterr().err
    assert run(["eval", "bot:passive", "--suite", str(tmp_path / "absent.txt"), "--dry-run"]) == 2
    assert "there is no suite" in capsys.readouterr().err


def test_a_suite_of_other_games_than_those_on_record_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SUITES, "standard", ("1000980", "1010724"))
    assert run(["eval", "policy:cfr", "--suite", "standard", "--matches", "1", "--dry-run"]) == 0
    monkeypatch.setitem(suites._CANONICAL, "1010724", "0" * 32)
    capsys.readouterr()
    assert run(["eval", "policy:cfr", "--suite", "standard", "--matches", "1", "--dry-run"]) == 2
    assert "draws another game 1010724 than the suite has" in capsys.readouterr().err


def _document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run(list(words)) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found
