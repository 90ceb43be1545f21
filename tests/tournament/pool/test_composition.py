"""What a pool's games are made of, counted again from the generator: constructs, complexities, the gate's readings."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from antemill.axes import AXES
from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import gate
from antemill.engine.machine.readings import READINGS
from antemill.engine.rules.constructs import CONSTRUCTS, constructs
from antemill.tournament.pool.layout import BENCHMARK
from antemill.tournament.pool.precise import score_benchmark
from antemill.tournament.pool.select import select_games, write_benchmark
from antemill.tournament.pool.stats import as_document, examine_pool
from tests.tournament.pool.pool_jobs import content_of, scored_pool


def share(games: list[frozenset[str]], part: str) -> float:
    return sum(part in game for game in games) / len(games)


class Drawn(NamedTuple):
    """A candidate of the pool, drawn and gated again; `accepted` is what the pool says."""

    seed: int
    parts: frozenset[str]
    by: tuple[str, ...]
    accepted: bool


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    found = []
    for row in content_of(scored_pool())["candidates"].to_pylist():
        spec = generate(row["seed"])
        found.append(
            Drawn(row["seed"], constructs(spec), gate(compile_spec(spec), row["seed"]).accepted_by, row["accepted"])
        )
    return found


def test_shares_of_constructs_and_readings(drawn: list[Drawn]) -> None:
    document = as_document(examine_pool(scored_pool()))
    accepted = [game.parts for game in drawn if game.accepted]
    assert tuple(document["constructs"]) == tuple(CONSTRUCTS)
    for name, shares in document["constructs"].items():
        assert shares["candidates"] == pytest.approx(share([game.parts for game in drawn], name)), name
        assert shares["accepted"] == pytest.approx(share(accepted, name)), name
        assert shares["benchmark"] is None
    assert document["readings"] == {
        name: pytest.approx(sum(name in game.by for game in drawn) / len(drawn)) for name in READINGS
    }
    assert document["benchmark"]["axes"] == {}


def test_the_benchmark_is_compared_at_the_precise_tier(tmp_path: Path) -> None:
    """Beside a benchmark without precise scores there is nothing to compare, but its constructs are known."""
    folder = Path(shutil.copytree(scored_pool(), tmp_path / "pool"))
    chosen = select_games(folder, 4)
    write_benchmark(folder / BENCHMARK, chosen)
    document = as_document(examine_pool(folder))
    assert document["benchmark"] == {"axes": {}, "correlation": {}, "vif": {}, "tier": "precise"}
    betting = share([frozenset(parts) for parts in chosen["constructs"].to_pylist()], "betting")
    assert document["constructs"]["betting"]["benchmark"] == betting
    scored = score_benchmark(folder / BENCHMARK, chosen, workers=1, quiet=True)
    ranges = as_document(examine_pool(folder))["benchmark"]["axes"]
    for axis in AXES:
        values = scored[f"precise_{axis}"].to_pylist()
        assert (ranges[axis]["min"], ranges[axis]["max"]) == (min(values), max(values))
