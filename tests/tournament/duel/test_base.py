"""Sets of duels that take over earlier ones: newcomers and the pairs that they play (TTG section 5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import Request
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.findings import results_of
from antemill.tournament.duel.kind import KIND, DuelKind
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
    with start_run(DuelKind(lambda _: TrustingJudge()), path, folder / name) as session:
        session.run(quiet=True, scripts=SCRIPTS)
    return folder / name


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("duels"), "old", OLD, references=["ace"])


def duels_of(folder: Path) -> list[tuple[str, str]]:
    return [(one.first, one.second) for one in results_of(KIND, [folder]).duels if "/duel/" not in one.key]


def test_a_newcomer_meets_all_and_the_base_counts(old: Path) -> None:
    folder = play(old.parent, "all", (*OLD, "new"), base=["old"])
    assert sorted(duels_of(folder)) == sorted(pair for one in OLD for pair in (("new", one), (one, "new")))
    results = results_of(KIND, [folder])
    assert len(results.duels) == 12 + 8
    assert results.references == ("ace",)
    assert len(results.attempts) == len(results_of(KIND, [old]).attempts) > 0
    assert "new" in KIND.findings([folder]).rated.column("player")


def test_several_bases_and_what_they_share_count_once(old: Path) -> None:
    one = play(old.parent, "one", (*OLD, "new"), base=["old"], pairs=[["new", "mid"]])
    two = play(old.parent, "two", (*OLD, "newer"), base=["old"], pairs=[["mid", "newer"]])
    folder = play(old.parent, "three", ("new", "newer"), base=[one.name, two.name], pairs=[["new", "newer"]])
    assert len(results_of(KIND, [folder]).duels) == 12 + 1 + 1 + 1


def test_several_sets_are_rated_as_one(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = play(tmp_path, "second", ("ace", "new"))
    out = tmp_path / "both"
    assert command(["analyze", str(old), str(second), "--out", str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["kind"], document["finished"]) == ("duel", 12 + 2 + len(results_of(KIND, [old]).attempts))
    assert {*document["players"]} == {*OLD, "new"}
    assert not (old / "tables").exists()
    assert len(results_of(KIND, [old, second]).duels) == 14
    newer = play(old.parent, "over", ("ace", "new"), base=["old"])
    assert len(results_of(KIND, [old, newer]).duels) == 14  # the base's duels count once
