"""Pools of games beyond the benchmark's caps (GENSTRAT sections 3 and 10): drawn, gated, scored, shown, solved."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from antemill.engine.builder.caps import BENCHMARK_CAPS
from antemill.engine.builder.generate import generate
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.rules.spec import from_json, to_json
from antemill.tournament.cli.entry import run as command
from antemill.tournament.pool.given_caps import LARGER, caps_of, changes_of, dial_of, named, parse_caps
from antemill.tournament.pool.layout import complete_pool
from antemill.tournament.pool.ranges import parse_complexity

SEEDS = "0:100"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`antemill run --caps larger` of a few seeds."""
    out = tmp_path_factory.mktemp("larger") / "out"
    options = ["--seeds", SEEDS, "--count", "3", "--caps", "larger", "--workers", "1", "--out", str(out)]
    assert command(["run", *options, "--json"]) == 0
    return out


def test_larger_games_are_drawn_gated_and_kept_with_their_caps(made: Path) -> None:
    settings = complete_pool(made).settings
    assert settings.complexity == (0.0, 2.0)
    assert caps_of(settings.caps, "pool") == LARGER
    rows = pq.read_table(made / "benchmark.parquet").to_pylist()
    assert max(row["complexity"] for row in rows) > 1.0
    for row in rows:
        want = generate(row["seed"], row["complexity"], LARGER)
        assert to_json(from_json(row["spec"])) == to_json(want)
        assert row["precise_state_space"] is not None


def test_a_pool_of_other_caps_is_not_continued(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["pool", "build", str(made), "--seeds", SEEDS, "--complexity", "0:1"]) == 2
    assert "has the complexity 0.0:2.0" in capsys.readouterr().err
    assert command(["pool", "build", str(made), "--seeds", SEEDS, "--complexity", "0:2"]) == 2
    assert "--caps larger allows it up to 2" in capsys.readouterr().err
    other = made.parent / "other.toml"
    other.write_text("complexity = 2\ncards = 48\n")
    assert command(["pool", "build", str(made), "--seeds", SEEDS, "--caps", str(other)]) == 2
    assert "has the caps complexity 2, cards 52" in capsys.readouterr().err
    assert command(["pool", "build", str(made), "--seeds", SEEDS, "--caps", str(made / "pool.json")]) == 0


def test_caps_by_name_and_from_files(tmp_path: Path) -> None:
    assert parse_caps(None) == parse_caps("benchmark") == BENCHMARK_CAPS
    assert parse_caps("larger") == LARGER
    assert (named(LARGER), named(BENCHMARK_CAPS)) == ("larger", "benchmark")
    file = tmp_path / "caps.toml"
    file.write_text("cards = 52\ncomplexity = 1.5\n")
    found = parse_caps(str(file))
    assert (found.cards, found.complexity, found.hand) == (52, 1.5, BENCHMARK_CAPS.hand)
    assert changes_of(found) == {"cards": 52, "complexity": 1.5}
    assert (changes_of(BENCHMARK_CAPS), named(found)) == (None, None)
    assert dial_of(None, found) == (0.0, 1.5)
    assert dial_of((1.0, 1.5), found) == (1.0, 1.5)
    assert dial_of(None, BENCHMARK_CAPS) is None
    assert parse_complexity("1:2", 2.0) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("bigger", "", "names no caps: write benchmark or larger"),
        ("caps.toml", "card = 3", "has no cap 'card'"),
        ("caps.toml", "cards = 3000", "cap cards must be at most 60"),
    ],
)
def test_wrong_caps_are_refused_with_a_sentence(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=sentence):
        parse_caps(str(tmp_path / name) if "." in name else name)
    with pytest.raises(StorageError, match="cannot read"):
        parse_caps(str(tmp_path / "none.toml"))
