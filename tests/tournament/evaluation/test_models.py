"""Models in an evaluation: a scripted one that folds whatever it holds, and a real one on this machine."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from antemill.llm import Model, Request
from antemill.tournament.cli.entry import run
from antemill.tournament.evaluation.compare import read_card
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.runs import start_run
from tests.local_model import as_toml, local_entry, local_model
from tests.tournament.analysed import analyze, report


def written(folder: Path, model: Model, table: str) -> Path:
    """A configuration with one model."""
    (folder / "models.toml").write_text(as_toml(model))
    path = folder / "eval.toml"
    path.write_text(f'[eval]\n{table}\n[players.{model.name}]\nmodel = "{model.name}"\n')
    return path


def coward(request: Request) -> str:
    """Checks, and folds to every bet."""
    asked = request.messages[-1].text
    return '{"reasoning": "I am afraid.", "action": "' + ("fold" if "fold" in asked else "check") + '"}'


def test_the_dearest_decisions_of_a_model_have_its_reply(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = Model(name="coward", protocol="scripted", model="coward")
    path = written(tmp_path, model, 'games = ["kuhn"]\nmatches_per_seat = 15')
    with start_run(EVALUATION, path, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"coward": coward})
    _, sheets = analyze(tmp_path / "run")
    card = read_card(tmp_path / "run")
    [player] = card.players
    assert player.fallbacks == 0
    assert player.model is not None
    assert player.model["model"] == "coward"
    assert player.loss.mean > 0.05
    assert player.regret is not None
    assert player.regret.mean * player.moves / player.matches == pytest.approx(player.loss.mean, abs=0.1)
    [dearest] = [sheet for sheet in sheets if sheet.name == "dearest"]
    rows = [dict(zip((column.key for column in dearest.columns), row, strict=True)) for row in dearest.rows]
    assert rows
    costs = [row["cost"] for row in rows]
    assert costs == sorted(costs, reverse=True)  # type: ignore[type-var]
    assert costs[0] == pytest.approx(3)  # a king is folded: it lost a chip, and would have won two
    assert (rows[0]["choice"], rows[0]["best"], rows[0]["kind"]) == ("fold", "call", "call")
    assert "I am afraid." in str(rows[0]["reply"])
    capsys.readouterr()
    assert run(["show", str(tmp_path / "run"), str(rows[0]["item"]), "--prompt"]) == 0
    told = capsys.readouterr().out
    assert "I am afraid." in told
    assert "Kuhn poker" in told
    assert run(["start", str(path), "--dry-run"]) == 0
    assert "coward" in capsys.readouterr().out


@pytest.mark.extended
def test_a_real_model_is_scored_end_to_end(tmp_path: Path) -> None:
    with local_model() as url:
        path = written(tmp_path, local_entry("tiny", url), 'games = ["kuhn"]\nmatches_per_seat = 3')
        with start_run(EVALUATION, path, tmp_path / "run") as session:
            session.run(quiet=True)
    card = read_card(tmp_path / "run")
    [player] = card.players
    assert player.matches == 6
    assert player.model is not None
    assert "base_url" in player.model
    assert player.loss.low is not None
    assert player.loss.high is not None
    assert player.loss.high > 0
    assert player.regret is not None
    assert player.regret.mean > 0
    page = report(tmp_path / "run")
    assert "“tiny” loses to perfect play: " in page
    assert 'id="pack-0"' in page
    analyze(tmp_path / "run")
    assert msgspec.json.decode((tmp_path / "run" / "scorecard.json").read_bytes())["schema"] == 3
