"""Sets of duels that take over earlier ones: newcomers and the pairs that they play (TTG section 5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import Request
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel import analyze, pooled
from antemill.tournament.duel.kind import duel_type
from antemill.tournament.runs import start_run
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge

Script = Callable[[Request], str]
OLD = ("ace", "dud", "mid", "wrong")


SCRIPTS: dict[str, Script] = {
    "ace": duelists.strong, "dud": duelists.weak, "mid": duelists.half, "wrong": duelists.wrong,
    "new": duelists.half, "newer": duelists.half,
}  # fmt: skip


def play(folder: Path, name: str, players: tuple[str, ...], models: Mapping[str, str] = {}, **duel: Any) -> Path:
    """A finished set of duels in `folder`/`name`."""
    listed = "".join(f'[{one}]\nprotocol = "scripted"\nmodel = "{one}"\n' for one in SCRIPTS)
    (folder / "models.toml").write_text(listed)
    path = folder / f"{name}.toml"
    keys = "".join(f"{key} = {json.dumps(value)}\n" for key, value in {"turns": 4, **duel}.items())
    named = "".join(f'[players.{one}]\nmodel = "{models.get(one, one)}"\n' for one in players)
    path.write_text(f"[limits]\nfallbacks = 0\n[duel]\n{keys}{named}")
    with start_run(duel_type(lambda _: TrustingJudge()), path, folder / name) as session:
        session.run(quiet=True, scripts=SCRIPTS)
    return folder / name


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("duels"), "old", OLD, references=["ace"])


def duels_of(folder: Path) -> list[tuple[str, str]]:
    with_base = analyze.load(folder).duels
    return [(one.first, one.second) for one in with_base if "/duel/" not in one.key]


def test_a_newcomer_meets_all_and_the_base_counts(old: Path) -> None:
    folder = play(old.parent, "all", (*OLD, "new"), base=["old"])
    assert sorted(duels_of(folder)) == sorted(pair for one in OLD for pair in (("new", one), (one, "new")))
    results = analyze.load(folder)
    assert len(results.duels) == 12 + 8
    assert results.references == ("ace",)
    assert len(results.attempts) == len(analyze.load(old).attempts) > 0
    board = pooled.pooled({"all": folder})
    assert board is not None
    assert set(map(str, board.sheet.column("player"))) == {*OLD, "new"}
    assert {"round_rating", "round_low", "round_high"} <= {column.key for column in board.sheet.columns}
    ratings = {sheet.name: sheet for sheet in analyze.sheets(folder, results, replicates=20)}["ratings"]
    assert "new" in ratings.column("player")


def test_several_bases_and_what_they_share_count_once(old: Path) -> None:
    one = play(old.parent, "one", (*OLD, "new"), base=["old"], pairs=[["new", "mid"]])
    two = play(old.parent, "two", (*OLD, "newer"), base=["old"], pairs=[["mid", "newer"]])
    folder = play(old.parent, "three", ("new", "newer"), base=[one.name, two.name], pairs=[["new", "newer"]])
    assert len(analyze.load(folder).duels) == 12 + 1 + 1 + 1


def test_several_sets_are_rated_as_one(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = play(tmp_path, "second", ("ace", "new"))
    out = tmp_path / "both"
    assert command(["analyze", str(old), str(second), "--out", str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["kind"], document["runs"]) == ("duel", [str(old), str(second)])
    assert {row["player"] for row in document["leaderboard"]} == {*OLD, "new"}
    assert "All 14 duels" in (out / "tables.md").read_text()
    assert not (old / "tables").exists()
    newer = play(old.parent, "over", ("ace", "new"), base=["old"])
    board = pooled.pooled({"old": old, "over": newer}, 20)  # the base's duels count once
    assert board is not None
    assert board.sheet.note.startswith("All 14 duels")
