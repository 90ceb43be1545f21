"""Evaluations with a precision: each player plays on until its loss is known as well as asked."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.analyze import rows
from antemill.tournament.evaluation.config import EvalTable
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.evaluation.scorecard import Scorecard
from antemill.tournament.evaluation.stopping import next_count
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
    assert run(["start", str(config), "--out", str(tmp_path / "score")]) == 0
    assert run(["analyze", str(tmp_path / "score")]) == 0
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
    assert run(["start", str(tmp_path / "again")]) == 0
    assert rows(tmp_path / "again").to_pylist() == rows(tmp_path / "score").to_pylist()
    capsys.readouterr()
    assert run(["start", str(config), "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    figures = {"games": 2, "nodes": 186, "least": 16, "most": 240, "precision": 0.25}
    assert found["precision"].items() >= figures.items()
    assert found["precision"]["exploitability"] == 1e-4
    assert (found["items"], found["exact"]) == (32, False)
    assert run(["start", str(config), "--dry-run"]) == 0
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
