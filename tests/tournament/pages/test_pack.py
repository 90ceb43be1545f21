"""Data that a page carries: nothing is lost, and a large run is cut down to what is most worth a look."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.errors import UsageError
from antemill.tournament.pages.assets import policy
from antemill.tournament.pages.pack import fitted, packed
from antemill.tournament.runs.browse import opened
from tests.tournament.analysed import report
from tests.tournament.cards.test_items import HOSTILE, PLAYERS, wild
from tests.tournament.cards.tournament_runs import run_cup, write_cup


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("cup")
    config = write_cup(home, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 20', PLAYERS, "[limits]\nfallbacks = 0")
    run_cup(config, home / "run", {"wild": wild})
    return home / "run"


def unpacked(html: str) -> dict[str, Any]:
    """What a page's script reads."""
    found = re.findall(r'<script type="application/octet-stream" id="([^"]+)">([^<]*)</script>', html)
    return {name: json.loads(gzip.decompress(base64.b64decode(data))) for name, data in found}


def restored(value: Any, parts: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [restored(one, parts) for one in value]
    if not isinstance(value, dict):
        return value
    if "$text" in value:
        name, place = value["$text"].split("/")
        return parts[name][int(place)]
    return {name: restored(one, parts) for name, one in value.items()}


def test_every_item_is_in_the_page_as_it_is_in_the_run(cup: Path) -> None:
    with opened(cup) as run:
        pack = packed(run)
        parts = unpacked(pack.elements)
        (index,) = parts["pack-index"]["runs"]
        assert pack.note == index["note"] == ""
        fields = index["table"]["fields"]
        rows = [dict(zip(fields, values, strict=True)) for values in index["table"]["values"]]
        assert len(rows) == pack.total == pack.kept == 80
        for row, (name, place) in zip(rows, index["where"], strict=True):
            whole = json.loads(json.dumps(run.item(row["item"])))
            assert restored(parts[name][place], parts) == whole
            assert {key: whole.get(key) for key in fields if key != "kept"} == {
                key: value for key, value in row.items() if key != "kept"
            }


def test_a_rulebook_is_in_the_page_once(cup: Path) -> None:
    with opened(cup) as run:
        parts = unpacked(packed(run).elements)
    texts = [text for name, part in parts.items() if name.startswith("pack-texts") for text in part]
    assert len(texts) == len(set(texts)) == 2
    assert all("## How to Play" in text for text in texts)
    others = json.dumps([part for name, part in parts.items() if not name.startswith("pack-texts")])
    assert "## How to Play" not in others


def test_a_large_run_keeps_what_is_worth_a_look_and_a_share_of_the_rest(
    cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antemill.tournament.pages.pack._CHUNK", 20_000)
    with opened(cup) as run:
        whole = len(packed(run).elements)
        size = whole // 2
        pack = fitted(run, size)
        (index,) = unpacked(pack.elements)["pack-index"]["runs"]
    assert len(pack.elements) <= size
    assert 10 < pack.kept < pack.total == 80
    assert f"{pack.kept:,} of {pack.total:,}" in pack.note == index["note"]
    fields = index["table"]["fields"]
    rows = [dict(zip(fields, values, strict=True)) for values in index["table"]["values"]]
    assert len(rows) == 80  # the list has all
    assert [row["kept"] for row in rows] == [where is not None for where in index["where"]]
    kept, left = [row for row in rows if row["kept"]], [row for row in rows if not row["kept"]]
    assert sum(row["fallbacks"] for row in kept) / len(kept) > sum(row["fallbacks"] for row in left) / len(left)


def test_what_is_not_finished_is_in_the_list_alone(cup: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(cup, copy)
    with closing(sqlite3.connect(copy / "run.sqlite", isolation_level=None)) as database:
        database.execute("UPDATE items SET status = 'planned', row = '{}', transcript = NULL WHERE position % 4 = 0")
        database.execute("UPDATE items SET status = 'discarded', row = '{}', transcript = NULL WHERE position = 1")
    with opened(copy) as run:
        pack, about = packed(run), run.about(())
        with pytest.raises(UsageError, match="is planned: only what is finished can be shown"):
            run.item(next(run.store.each_record()).item.key)
    (index,) = unpacked(pack.elements)["pack-index"]["runs"]
    rows = [dict(zip(index["table"]["fields"], values, strict=True)) for values in index["table"]["values"]]
    assert (about.done, about.total, about.finished) == (60, 80, False)
    assert (pack.kept, pack.total) == (59, 59)
    assert [row["status"] for row in rows[:4]] == ["planned", "discarded", "done", "done"]
    assert [where is not None for where in index["where"]] == [row["status"] == "done" for row in rows]
    assert rows[0]["winner"] is None
    assert rows[0]["outcome"] == "planned"


def test_the_policy_admits_the_page_s_own_script_and_nothing_else(cup: Path) -> None:
    page = report(cup)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    said = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert said is not None
    rules = said[1].split("; ")
    assert f"script-src 'sha256-{digest}'" in rules
    assert {"default-src 'none'", "base-uri 'none'", "form-action 'none'"} <= set(rules)
    assert not any(rule.startswith("connect-src") for rule in rules)
    assert "connect-src 'self'" in policy(live=True)
    assert HOSTILE not in page
    assert not re.search(r"""\son\w+\s*=\s*["']""", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
