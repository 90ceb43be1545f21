"""`game export`: what goes to the file, to stdout, and into the JSON document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antemill.engine.builder.resolve import read_spec
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.rules.named import kuhn
from antemill.engine.rules.spec import from_json
from antemill.tournament.cli.export import export
from tests.differing import assert_same
from tests.engine.text.test_efg import examine, parse


def test_the_tree_goes_to_stdout_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    export("kuhn", form="efg")
    out, err = capsys.readouterr()
    assert examine(parse(out)).nodes == 58
    assert err == ""


def test_the_tree_goes_to_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    export("leduc", form="efg", output=tmp_path / "leduc.efg")
    assert examine(parse((tmp_path / "leduc.efg").read_text())).nodes == 1939
    assert capsys.readouterr().out == f"Leduc poker written to {tmp_path / 'leduc.efg'}, 1,939 nodes\n"


def test_the_document_counts_the_tree(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    export("kuhn", form="efg", output=tmp_path / "kuhn.efg", json=True)
    document = json.loads(capsys.readouterr().out)
    assert document == {
        "game": "Kuhn poker",
        "format": "efg",
        "output": str(tmp_path / "kuhn.efg"),
        "nodes": 58,
        "chance_nodes": 4,
        "terminals": 30,
        "information_sets": {"alice": 6, "bob": 6},
    }
    export("kuhn", form="efg", json=True)
    text = json.loads(capsys.readouterr().out)["text"]
    assert_same(text, (tmp_path / "kuhn.efg").read_text())


def test_rules_are_read_back_as_the_same_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    export("kuhn", form="json", output=tmp_path / "kuhn.json")
    assert read_spec(tmp_path / "kuhn.json") == kuhn()
    capsys.readouterr()
    export("kuhn", form="json")
    assert from_json(capsys.readouterr().out) == kuhn()


def test_a_refused_export_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the tree of Leduc poker has more than 100 nodes"):
        export("leduc", form="efg", output=tmp_path / "leduc.efg", limit=100)
    with pytest.raises(UsageError, match=r"there is no format 'xml': use efg or json\."):
        export("kuhn", form="xml", output=tmp_path / "kuhn.xml")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StorageError, match=r"its folder does not exist"):
        export("kuhn", form="efg", output=tmp_path / "none" / "kuhn.efg")
