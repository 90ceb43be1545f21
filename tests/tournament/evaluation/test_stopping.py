"""Evaluations with a precision: each player plays on until its loss is known as well as asked."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.branches import count_nodes
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation import references
from antemill.tournament.evaluation.analyze import rows
from antemill.tournament.evaluation.config import EvalTable
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.evaluation.scorecard import Scorecard
from antemill.tournament.evaluation.stopping import next_count
from antemill.tournament.evaluation.suites import LARGEST_TREES, SUITES
from antemill.tournament.runs import start_run
from antemill.tournament.statistics.losses import Loss

TABLE = EvalTable(precision=0.1, matches_per_seat=4, most_per_seat=100)


def test_the_number_of_pairs_follows_the_width() -> None:
    assert next_count(20, Loss(0.5, 0.05, 0.4, 0.6), TABLE) == 20  # as narrow as asked
    assert next_count(20, Loss(0.5, 0.05, 0.39, 0.61), TABLE) == 25  # a quarter more, where 1.21 times would do
    assert next_count(20, Loss(0.5, 0.06, 0.38, 0.63), TABLE) == 32  # 1.5625 times
    assert next_count(20, Loss(0.5, 0.2, 0.0, 1.0), TABLE) == 40
    assert next_count(60, Loss(0.5, 0.2, 0.0, 1.0), TABLE) == next_count(60, Loss(0.5, None, None, None), TABLE) == 100
    assert next_count(100, Loss(0.5, 0.2, 0.0, 1.0), TABLE) == 100


def test_players_play_until_their_loss_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "eval.toml"
    config.write_text(
        '[eval]\ngames = ["kuhn", "starter-1"]\nmatches_per_seat = 4\nprecision = 0.25\nmost_per_seat = 60\n'
        '[players.random]\nbot = "random"\n[players.perfect]\npolicy = "cfr"\n'
    )
    assert run(["eval", "run", str(config), "--out", str(tmp_path / "score")]) == 0
    assert run(["eval", "analyze", str(tmp_path / "score")]) == 0
    card = msgspec.json.decode((tmp_path / "score" / "scorecard.json").read_bytes(), type=Scorecard)
    players = {one.name: one for one in card.players}
    assert card.protocol.precision == 0.25
    assert players["perfect"].matches == 64  # twice as many until there are 30 pairs without a mistake
    loss = players["random"].loss
    assert loss.low is not None
    assert loss.high is not None
    assert (loss.high - loss.low) / 2 <= 0.25
    assert 16 < players["random"].matches < 240
    dealt = {(row["game"], row["run"]): row["play_seed"] for row in rows(tmp_path / "score").to_pylist()}
    most = max(one.matches for one in card.players)  # a game's cards do not depend on the player
    assert len(set(dealt.values())) == len(dealt) == most / 2
    _end_early(config, tmp_path / "again")
    assert run(["eval", "resume", str(tmp_path / "again")]) == 0
    assert rows(tmp_path / "again").to_pylist() == rows(tmp_path / "score").to_pylist()
    capsys.readouterr()
    assert run(["eval", "run", str(config), "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    figures = {"games": 2, "nodes": 186, "least": 16, "most": 240, "precision": 0.25}
    assert found["precision"].items() >= figures.items()
    assert found["precision"]["exploitability"] == 1e-4
    assert (found["items"], found["exact"]) == (32, False)
    assert run(["eval", "run", str(config), "--dry-run"]) == 0
    assert "until its loss is known to ±0.25 chips, up to 240 matches" in capsys.readouterr().out.replace("\n", " ")


def _end_early(config: Path, folder: Path) -> None:
    """A run that is interrupted between its first look and its last one."""
    with start_run(EVALUATION, config, folder) as session:
        planned, play = session.kind.next_items, session.kind.play
        played = 0

        async def stopping(item, access):  # type: ignore[no-untyped-def]
            nonlocal played
            played += 1
            if played > 40:
                raise KeyboardInterrupt
            return await play(item, access)

        assert planned(()) != []
        session.kind.play = stopping  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            session.run(quiet=True)


@pytest.mark.parametrize("least", [1, 300])
def test_a_precision_that_has_no_room_is_refused(
    least: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "e.toml").write_text(
        f'[eval]\ngames = ["kuhn"]\nmatches_per_seat = {least}\nprecision = 1.0\n[players.a]\nbot = "random"\n'
    )
    assert run(["eval", "run", str(tmp_path / "e.toml"), "--dry-run"]) == 2
    assert 'with "precision", "matches_per_seat" is from 2 to "most_per_seat"' in capsys.readouterr().err


def test_a_dry_run_solves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "games.txt"
    games.write_text("kuhn\nleduc\n")
    monkeypatch.setattr(references, "solve_game", None)
    found = {}
    more = ("--weak", "passive", "--policy", "2", "--disguises", "1")
    for suite, options in (("starter", ()), ("small", more), (str(games), ())):
        assert run(["eval", "bot:random", "--suite", suite, *options, "--dry-run", "--json"]) == 0
        found[suite] = json.loads(capsys.readouterr().out)["precision"]
    assert (found["starter"]["games"], found["starter"]["exploitability"]) == (8, 1e-4)
    assert found["small"].items() >= {"games": 7, "nodes": 257, "least": 280}.items()
    assert found[str(games)].items() >= {"games": 2, "nodes": 1_939}.items()


def test_the_largest_trees_of_suites_are_on_record() -> None:
    for suite, games in SUITES.items():
        assert LARGEST_TREES[suite] == max(count_nodes(compile_spec(resolve(game)), 1_000_000) for game in games)
