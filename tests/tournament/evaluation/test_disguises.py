"""An evaluation in disguise: who knows a game by its name is found, who plays by structure is not."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from pyarrow.csv import read_csv

import antemill as am
from antemill.engine.match import Game
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.scorecard import Scorecard
from tests.tournament.evaluation.noisy import equilibrium, exact_loss, noisy

SCRIPT = '''
from antemill.tournament.players import make_bot

class Famous:
    """Plays what it knows by name, and at random what it does not."""
    def __init__(self, game):
        known = game.spec.name.startswith("Kuhn") and game.spec.deck.ranks == (11, 12, 13)
        self._player = make_bot("cfr" if known else "random", game)
    def choose(self, observation):
        return self._player.choose(observation)
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three players on two games as themselves and in three disguises."""
    home = tmp_path_factory.mktemp("eval")
    (home / "famous.py").write_text(SCRIPT)
    (home / "eval.toml").write_text(
        '[eval]\ngames = ["kuhn", "starter-1"]\nmatches_per_seat = 20\nseed = 3\ndisguises = 3\n'
        '[players.noisy]\nbot = "random"\n[players.famous]\nscript = "famous.py:Famous"\n'
        '[players.perfect]\npolicy = "cfr"\n'
    )
    assert run(["start", str(home / "eval.toml"), "--out", str(home / "score")]) == 0
    assert run(["analyze", str(home / "score")]) == 0
    return home / "score"


def _rows(folder: Path, table: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = read_csv(folder / "tables" / f"{table}.csv").to_pylist()
    return found


def _card(folder: Path) -> Scorecard:
    return msgspec.json.decode((folder / "scorecard.json").read_bytes(), type=Scorecard)


def test_who_knows_a_game_by_its_name_is_found_and_who_plays_by_structure_is_not(folder: Path) -> None:
    known = {(row["player"], row["game"]): row["known"] for row in _rows(folder, "recognised")}
    assert known["famous", "kuhn"] == "yes"
    others = {pair: said for pair, said in known.items() if pair[0] != "famous" or pair[1] == "starter-1"}
    assert set(others.values()) == {"no"}
    assert len(others) == 2 + 2 + 2 + 1


def test_losses_are_those_of_the_game_in_its_own_chips_in_every_form(folder: Path) -> None:
    rows = _rows(folder, "disguises")
    assert {row["form"] for row in rows} == {"itself", "disguise 1", "disguise 2", "disguise 3"}
    assert all(row["figure"] == pytest.approx(0, abs=2e-3) for row in rows if row["player"] == "perfect")
    players = {one.name: one for one in _card(folder).players}
    for name in ("kuhn", "starter-1"):
        game = Game(am.game(name))
        saved = equilibrium(game)
        found = players["noisy"].by_game[name]
        assert found.low is not None
        assert found.high is not None
        assert found.low <= exact_loss(game, noisy(saved, 1.0), saved) <= found.high
    assert players["perfect"].regret is not None
    assert players["perfect"].regret.mean == pytest.approx(0, abs=1e-3)
    assert players["noisy"].matches == 2 * 2 * 20 * 4


def test_cards_are_the_same_only_with_the_same_disguises(folder: Path, tmp_path: Path) -> None:
    """Runs without disguises, and with others, are not compared pair by pair."""
    text = (folder.parent / "eval.toml").read_text().partition("[players.noisy]")[0]
    cards = {_card(folder).suite.cards}
    for more in ("disguises = 3\nundisguised = false", "disguises = 0", "disguises = 2"):
        config, out = tmp_path / "e.toml", tmp_path / f"{len(cards)}"
        made = text.replace("disguises = 3", more).replace("matches_per_seat = 20", "matches_per_seat = 1")
        config.write_text(f'{made}[players.random]\nbot = "random"\n')
        assert run(["start", str(config), "--out", str(out)]) == 0
        assert run(["analyze", str(out)]) == 0
        assert (out / "tables" / "disguises.csv").exists() == (more != "disguises = 0")
        assert (out / "tables" / "recognised.csv").exists() == (more == "disguises = 2")
        cards.add(_card(out).suite.cards)
    assert len(cards) == 4
