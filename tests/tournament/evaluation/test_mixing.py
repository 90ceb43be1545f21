"""The price of not being able to randomise."""

from __future__ import annotations

from pathlib import Path

import pytest

from antemill.llm import Model, Request
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.analyze import analyze
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.runs import start_run
from tests.local_model import as_toml

JACK, QUEEN, KING = "J", "Q", "K"


def perfect(request: Request) -> str:
    """An equilibrium of Kuhn poker if it may state probabilities; by one action it plays the more probable one."""
    asked = request.messages[-1].text
    card = next(card for card in (JACK, QUEEN, KING) if f"Your hand: {card}" in asked)
    alice = "You are Alice" in asked
    if '"fold"' in asked:
        yes, no, share = "call", "fold", {JACK: 0.0, QUEEN: 1 / 3, KING: 1.0}[card]
    else:
        yes, no, share = "bet", "check", {JACK: 0.0 if alice else 1 / 3, QUEEN: 0.0, KING: 0.0 if alice else 1.0}[card]
    if '"mix"' in asked:
        return f'{{"mix": {{"{yes}": {share}, "{no}": {1 - share}}}}}'
    return f'{{"action": "{yes if share > 0.5 else no}"}}'


def test_the_price_is_the_difference_on_the_same_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "models.toml").write_text(as_toml(Model(name="p", protocol="scripted", model="p")))
    (tmp_path / "games.txt").write_text("kuhn\n")
    path = tmp_path / "eval.toml"
    path.write_text(
        '[eval]\ngames = ["kuhn"]\nmatches_per_seat = 40\n[policy]\nsamples = 2\n'
        '[players.p]\nmodel = "p"\n[players.p-mix]\nmodel = "p"\nanswer = "mix"\n'
    )
    with start_run(EVALUATION, path, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"p": perfect})
    card, sheets = analyze(tmp_path / "run")
    players = {one.name: one for one in card.players}
    mixing, acting = players["p-mix"], players["p"]
    assert acting.randomising is None
    assert mixing.randomising is not None
    assert mixing.fallbacks == acting.fallbacks == 0
    assert mixing.randomising.mean == pytest.approx(acting.loss.mean - mixing.loss.mean)
    assert mixing.exploitability is not None
    assert acting.exploitability is not None
    assert mixing.exploitability.mean.mean == pytest.approx(0, abs=1e-9)  # it stated an equilibrium
    assert acting.exploitability.mean.mean > 0.05  # a Jack that never bluffs, and a Queen that always folds
    [sheet] = [sheet for sheet in sheets if sheet.name == "mixing"]
    assert sheet.rows[0][:3] == ["p-mix", "p", 40]
    weak = "[weak]\nopponents = ['passive']\nrounds = 2\nmatches_per_seat = 1\n"
    path.write_text(f"{path.read_text()}{weak}")
    assert run(["start", str(path), "--dry-run"]) == 0
    said = capsys.readouterr()
    assert "160 matches, 24 matches against weak opponents, 36 questions" in said.out
    assert "p is asked at every decision of 1 game, which takes 36 calls." in said.err
