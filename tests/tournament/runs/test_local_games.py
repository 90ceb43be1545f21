"""The real local model duels and plays SKATE: most of what it says cannot be read, and that has to go cleanly too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antemill.llm import CallStore, Model
from antemill.tournament.duel.kind import KIND as DUELS
from antemill.tournament.pages.run import report
from antemill.tournament.runs import start_run
from antemill.tournament.skate.kind import KIND as GAMES
from tests.local_model import as_toml, local_entry, local_model
from tests.tournament.duel import duelists
from tests.tournament.skate.skaters import skater


def write(folder: Path, table: str, models: list[Model]) -> Path:
    """A configuration in which all players are named after the own model."""
    (folder / "models.toml").write_text("".join(map(as_toml, models)))
    players = "".join(f'[players.{model.name}]\nmodel = "{model.name}"\n' for model in models)
    path = folder / "run.toml"
    path.write_text(f"{table}\n{players}")
    return path


@pytest.mark.extended
def test_t1_a_real_model_duels(tmp_path: Path) -> None:
    table = '[duel]\npairs = [["tiny", "ace"]]\nturns = 2'
    with local_model() as url:
        ace = Model(name="ace", protocol="scripted", model="ace")
        path = write(tmp_path, table, [local_entry("tiny", url, max_output=24, structured=False), ace])
        with DUELS.opened() as kind, start_run(kind, path, tmp_path / "run") as session:
            session.run(quiet=True, scripts={"ace": duelists.strong})
            (record,) = session.store.records()
            transcript = session.store.transcript(record.item.key)
    assert record.status == "done"
    assert [turn["proposer"] for turn in record.row["turns"]] == ["tiny", "ace"]
    assert record.row["turns"][1]["sample_verdict"] == "true"
    for spoken in transcript:
        for heard in [*spoken["proposed"], *spoken["solved"]]:
            assert heard["call"] > 0
            assert heard["problem"] or heard["text"]
    assert record.fallbacks == sum(
        bool(turn["proposer_unread"]) + bool(turn["solver_unread"]) for turn in record.row["turns"]
    )
    assert 'id="pack-0"' in report(DUELS, [tmp_path / "run"])


@pytest.mark.extended
def test_s1_a_real_model_plays_skate(tmp_path: Path) -> None:
    table = "[skate]\nrounds = 1\nstep = 4\ndeviation = 0.25"
    with local_model() as url:
        ace = Model(name="ace", protocol="scripted", model="ace")
        path = write(tmp_path, table, [local_entry("tiny", url, max_output=16, structured=False), ace])
        with GAMES.opened() as kind, start_run(kind, path, tmp_path / "run") as session:
            session.run(quiet=True, scripts={"ace": skater("ace", 0.9)})
            records = session.store.records()
    assert all(record.status == "done" for record in records)
    sets = [record.row for record in records if record.row["what"] == "set"]
    assert [(row["round"], row["setter"]) for row in sets] == [(1, "tiny"), (1, "ace")]
    assert all(row["accepted"] for row in sets if row["setter"] == "ace")
    for row in sets:
        assert row["accepted"] or len(row["failures"]) == 3
    game = GAMES.findings([tmp_path / "run"]).game
    assert all(set(scores) == {"tiny", "ace"} for scores in game.scores.values())
    assert len(game.questions) == sum(row["accepted"] for row in sets)
    assert 'id="pack-0"' in report(GAMES, [tmp_path / "run"])


@pytest.mark.extended
@pytest.mark.parametrize("name", ["duel", "skate"])
def test_with_a_schema_every_reply_of_a_real_model_is_read_at_the_first_try(tmp_path: Path, name: str) -> None:
    """The schema's texts are bounded, so that none is cut off at the limit of 160 tokens."""
    tables = {
        "duel": '[duel]\npairs = [["tiny", "ace"]]\nturns = 4',
        "skate": "[skate]\nrounds = 1\nstep = 4\nleast = 4",
    }
    kind: Any = DUELS if name == "duel" else GAMES
    script: Any = duelists.strong if name == "duel" else skater("ace", 0.9)
    with local_model() as url:
        ace = Model(name="ace", protocol="scripted", model="ace")
        path = write(tmp_path, tables[name], [local_entry("tiny", url, max_output=160), ace])
        with kind.opened() as opened, start_run(opened, path, tmp_path / "run") as session:
            session.run(quiet=True, scripts={"ace": script})
    with CallStore(tmp_path / "run" / "calls.sqlite", read_only=True) as store:
        calls = [call for call in store.calls() if call.model == "tiny"]
    assert len(calls) >= 4
    for call in calls:
        assert call.finish == "stop"
        assert '"role":"assistant"' not in call.request  # no question was asked once more
