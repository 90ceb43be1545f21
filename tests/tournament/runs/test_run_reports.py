"""The pages of duels and of SKATE: complete, and nothing in them is run that a player wrote."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pyarrow.csv import read_csv

from antemill.llm import CallStore
from antemill.tournament.cards.kind import TOURNAMENT
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.runs import start_run
from antemill.tournament.skate.kind import SkateKind
from tests.differing import assert_same
from tests.tournament.cards.tournament_runs import run_cup, write_cup
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.skate import skaters

_VOID = {"meta", "input", "img", "br", "hr", "link"}


class Balance(HTMLParser):
    """Fails on tags that are not closed in their order; collects texts and details."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.details = 0
        self.text: list[str] = []

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self.details += tag == "details"
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(page: str) -> Balance:
    found = Balance()
    found.feed(page)
    assert found.open == []
    return found


def packed_items(page: str) -> dict[str, dict[str, Any]]:
    """Everything that a page carries about its items, by their names."""
    elements = re.findall(r'<script type="application/octet-stream" id="(pack-\d+)">([^<]*)</script>', page)
    chunks = [json.loads(gzip.decompress(base64.b64decode(data))) for _, data in elements]
    return {one["item"]: one for chunk in chunks for one in chunk}


@pytest.fixture(scope="module")
def duels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("duels")

    def evil(_request: object) -> str:
        code = "# <script>alert('no')</script>\ndef mystery(x):\n    return x == 6"
        return f"```python\n{code}\n```\nwhy & how\nSOLUTION: 6"

    scripts = {"ace": duelists.strong, "evil": evil}
    (folder / "models.toml").write_text("".join(f'[{n}]\nprotocol = "scripted"\nmodel = "{n}"\n' for n in scripts))
    path = folder / "duels.toml"
    path.write_text("".join(f'[players.{name}]\nmodel = "{name}"\n' for name in scripts))
    with start_run(DuelKind(lambda _config: TrustingJudge()), path, folder / "run") as session:
        session.run(
            quiet=True, scripts={"ace": lambda r: evil(r) if "x == 6" in str(r) else duelists.strong(r), "evil": evil}
        )
    return folder / "run"


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("skate")
    skills = {"ace": 0.95, "low": 0.4}
    path = skaters.write_config(folder, skills, rounds=2)
    with start_run(SkateKind(skaters.rules), path, folder / "run") as session:
        session.run(quiet=True, scripts={name: skaters.skater(name, skill) for name, skill in skills.items()})
    return folder / "run"


def test_the_page_of_duels_shows_every_turn(duels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["report", str(duels), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    page = (duels / "report.html").read_text()
    assert (document["kind"], document["bytes"]) == ("duel", len(page.encode()))
    text = " ".join(read(page).text)
    for part in ("Ratings of duels", "Solvers and proposers", "Quality of puzzles"):
        assert part in text
    assert "<script>alert" not in page
    items = packed_items(page)
    assert {*items} == {"duel/ace/evil", "duel/evil/ace"}
    for item in items.values():
        lines = [event for event in item["events"] if isinstance(event, str)]
        assert [line.split(":")[0] for line in lines if line.startswith("Turn ")] == [f"Turn {n}" for n in range(1, 11)]
        assert "    # <script>alert('no')</script>" in lines
        assert any(line.startswith("its own solution: ") and line.endswith("trust") for line in lines)
        replies = [event for event in item["events"] if not isinstance(event, str)]
        assert any("why & how" in one["call"]["reply"] for one in replies if one["player"] == "evil")
    assert not re.search("https?:", page.replace("http://www.w3.org", ""))


def test_page_and_tables_agree(duels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["analyze", str(duels)]) == 0
    assert command(["report", str(duels), "-o", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text()
    ratings = read_csv(duels / "tables" / "ratings.csv").to_pylist()
    shown = " ".join(read(page).text)
    for row in ratings:
        assert f"{row['round_rating']:.0f}" in shown if row["round_rating"] is not None else "∞" in shown
    assert ("∞" in shown) == any(row["duel_rating"] is None for row in ratings)
    capsys.readouterr()


def test_the_page_of_skate_shows_every_question(game: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert command(["report", str(game), "-o", str(out)]) == 0
    page = out.read_text()
    text = " ".join(read(page).text)
    for part in ("TrueSkill", "Self-preference", "Asking and answering", "discriminatory"):
        assert part.lower() in text.lower()
    items = packed_items(page)
    questions = [item for item in items.values() if item["what"] == "set"]
    assert len(questions) == 4
    assert all(any("wrong 8" in event for event in item["events"] if isinstance(event, str)) for item in questions)
    assert page.count('<svg class="chart') >= 9
    assert (game / "report.html").exists() is False


def test_costs_by_purpose_stand_in_tables_and_on_the_page(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, purposes = game, ["questions", "answers", "all"]
    assert command(["analyze", str(folder)]) == 0
    assert command(["report", str(folder), "-o", str(tmp_path / "page.html")]) == 0
    rows = read_csv(folder / "tables" / "costs.csv").to_pylist()
    assert list(dict.fromkeys(row["purpose"] for row in rows)) == purposes
    with CallStore(folder / "calls.sqlite", read_only=True) as calls:
        asked = Counter((call.sample.split("/")[0], call.model) for call in calls.calls())
    stages = {"questions": "set", "answers": "answer"}
    for row in rows:
        models = [row["model"]] if row["model"] != "total" else [model for _, model in asked]
        wanted = stages.values() if row["purpose"] == "all" else [stages[row["purpose"]]]
        assert row["calls"] == sum(n for (stage, model), n in asked.items() if stage in wanted and model in {*models})
    found = read((tmp_path / "page.html").read_text())
    text = " ".join(found.text)
    assert "Cost as it was billed" in text
    assert all(purpose in text for purpose in purposes)
    capsys.readouterr()


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cup")
    bots = "".join(f'[players.{name}]\nbot = "{name}"\n' for name in ("random", "passive", "aggressive"))
    config = write_cup(folder, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 2', bots)
    run_cup(config, folder / "run")
    return folder / "run"


def test_pages_are_the_same_for_the_same_run(game: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert command(["report", str(game), "-o", str(tmp_path / name)]) == 0
    assert_same((tmp_path / "a").read_text(), (tmp_path / "b").read_text())


# ------------------------------------------------------------------------------------------------ only read


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cup")
    models = '[m]\nprotocol = "scripted"\n'
    (folder / "models.toml").write_text(models)
    (folder / "cup.toml").write_text(
        '[tournament]\ngames = ["kuhn"]\nmatches_per_seat = 2\n'
        '[players.a]\nmodel = "m"\n[players.b]\nbot = "passive"\n[players.c]\nbot = "random"\n'
    )
    with start_run(TOURNAMENT, folder / "cup.toml", folder / "cup") as session:
        session.run(quiet=True, scripts={"m": lambda _request: '{"action": "check"}'})
    return folder / "cup"


def test_a_report_elsewhere_leaves_the_folder_as_it_was(played: Path, tmp_path: Path) -> None:
    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in played.iterdir() if not path.name.endswith(("-shm", "-wal"))}

    before = files()
    assert "slots.parquet" not in before
    assert command(["report", str(played), "-o", str(tmp_path / "page.html")]) == 0
    assert files() == before
    assert command(["report", str(played)]) == 0
    assert_same((played / "report.html").read_text(), (tmp_path / "page.html").read_text())
