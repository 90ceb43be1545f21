"""The standard suite is of the games on record, and learners do not train on it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import antemill as am
from antemill.engine.builder.generate import builder_hash
from antemill.engine.errors import UsageError
from antemill.tournament.adapters import Curriculum, refuse_benchmark, trl
from antemill.tournament.adapters.episode import Setting
from antemill.tournament.adapters.tasks import match_tasks
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.split import split_pool
from antemill.tournament.pool.standard import BUILDER, DIGESTS, HELD

SMALL = 1000980  # one of its games
TWIN = 11652  # the same game as 1008894 by another seed, in the pool of which the benchmark is selected


def test_its_games_have_the_digests_on_record() -> None:
    assert len(HELD) == len(DIGESTS) == 37
    assert all(1_000_000 <= seed < 1_012_351 for seed in DIGESTS)
    assert {seed: am.engine.canonical_digest(am.game(seed)) for seed in DIGESTS} == dict(DIGESTS)
    assert len(BUILDER) == len(builder_hash())


def test_its_games_are_held_out_of_every_pool_under_any_seed(tmp_path: Path) -> None:
    build_pool(tmp_path / "pool", (TWIN - 20, TWIN + 20), (0.0, 1.0), workers=1)
    done = split_pool(tmp_path / "pool", tmp_path / "split", (1.0, 0.0, 0.0))
    assert done.benchmark == done.games["holdout"] == 1
    assert TWIN not in {game.seed for game in Curriculum(tmp_path / "pool", shares=(1.0, 0.0, 0.0)).games}
    with pytest.raises(UsageError, match=r"1 of the games of .* are the standard suite's .* benchmark_games=True"):
        Curriculum(tmp_path / "pool", side=None)
    everything = Curriculum(tmp_path / "pool", side=None, benchmark_games=True).games
    assert TWIN in {game.seed for game in everything}


def test_its_games_are_refused_to_learners_unless_they_ask_for_them() -> None:
    renamed = msgspec.structs.replace(am.game(SMALL), name="Another")
    for tasks in (match_tasks([renamed], Setting()), trl.match_rows([str(SMALL)], Setting())):
        with pytest.raises(UsageError, match="1 of the games of this list are the standard suite's"):
            next(tasks)
    with pytest.raises(UsageError, match="the standard suite's"):
        refuse_benchmark([renamed])
    refuse_benchmark(["kuhn"])
    assert next(match_tasks([renamed], Setting(), benchmarks=None)).play_seed
