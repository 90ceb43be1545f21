"""A run as a folder for a web server: every item is there in full, and nothing of an earlier export is left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.storage.files import SUFFIX
from antemill.tournament.cli.entry import run
from antemill.tournament.pages import site as sites
from antemill.tournament.runs.browse import opened
from tests.tournament.cards.test_items import PLAYERS, wild
from tests.tournament.cards.tournament_runs import run_cup, write_cup
from tests.tournament.pages.test_pack import restored


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("cup")
    config = write_cup(home, 'games = ["kuhn"]\nmatches_per_seat = 6', PLAYERS, "[limits]\nfallbacks = 0")
    run_cup(config, home / "run", {"wild": wild})
    return home / "run"


def given(path: Path) -> Any:
    """What a file hands over to the page."""
    begin, text, end = path.read_text().split("\n")
    assert (begin, end) == (f'antemill.given("{path.stem}",', ")")
    return json.loads(text)


def test_all_items_are_in_files_that_the_list_leads_to(
    cup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sites, "ROWS", 5)
    site = tmp_path / "site"
    (site / "data").mkdir(parents=True)
    (site / "data" / "pack-999.js").write_text("[]")  # of a larger run that was here before
    mine = [site / "data" / name for name in ("notes.txt", "pack-lunch.js", "pack-lock.json")]
    for path in mine:
        path.write_text("mine")
    half = site / "data" / f".pack-0.js-1{SUFFIX}"  # of an export that was killed
    half.touch()
    assert run(["report", str(cup), "-o", f"{site}/", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["report"] == str(site / "index.html")
    assert not (site / "data" / "pack-999.js").exists()
    assert not half.exists()
    assert {path.read_text() for path in mine} == {"mine"}
    parts: dict[str, Any] = {path.stem: given(path) for path in (site / "data").glob("pack-*[x0-9].js")}
    (index,) = parts["pack-index"]["runs"]
    pages = [parts[f"pack-rows-{i}"] for i in range(index["pages"])]
    rows = [dict(zip(page["table"]["fields"], row, strict=True)) for page in pages for row in page["table"]["values"]]
    places = [place for page in pages for place in page["where"]]
    with opened(cup) as shown:
        assert [row["item"] for row in rows] == [record.item.key for record in shown.store.records()]
        assert index["pages"] == -(-len(rows) // 5) > 1
        for row, (name, place) in zip(rows, places, strict=True):
            assert restored(parts[name][place], parts) == json.loads(json.dumps(shown.item(row["item"])))
    assert 'name="antemill-data" content="data"' in (site / "index.html").read_text()
