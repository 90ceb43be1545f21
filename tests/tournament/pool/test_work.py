"""What workers do, when a cluster loses one and does its job again."""

import os
import pickle
from pathlib import Path

import pytest

from antemill.engine.storage.places import Place
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.layout import PARTS, open_pool
from antemill.tournament.pool.spans import Span
from antemill.tournament.pool.versions import numba_version
from antemill.tournament.pool.work import Order, build_part, build_shard

SHARD, LEFT, RIGHT = Span(0, 30), Span(0, 20), Span(20, 30)


def test_a_job_that_is_done_again_changes_nothing(tmp_path: Path) -> None:
    """As if the worker had been lost after its work and before its answer."""
    build_pool(tmp_path / "want", (SHARD.start, SHARD.stop), workers=1, quiet=True)
    settings = open_pool(tmp_path / "want").settings
    order = Order(Place(str(tmp_path / "pool")), settings, numba_version())
    for part in (LEFT, RIGHT, LEFT):
        build_part(part.start, part.stop, order)
    counts = {build_shard(SHARD.start, SHARD.stop, order, (LEFT, RIGHT), ()) for _ in range(2)}
    assert len(counts) == 1
    assert order.folder.names(PARTS) == []
    for folder in ("candidates", "games"):
        file = f"{folder}/{SHARD.file}"
        assert order.folder.read(file) == Place(str(tmp_path / "want")).read(file)


def test_a_shard_that_grew_is_done_again(tmp_path: Path) -> None:
    """The smaller shard that it was made of is gone by then."""
    build_pool(tmp_path / "pool", (LEFT.start, LEFT.stop), workers=1, quiet=True)
    order = Order(Place(str(tmp_path / "pool")), open_pool(tmp_path / "pool").settings, numba_version())
    build_part(RIGHT.start, RIGHT.stop, order)
    counts = {build_shard(SHARD.start, SHARD.stop, order, (RIGHT,), (LEFT,)) for _ in range(2)}
    assert len(counts) == 1
    assert order.folder.names("candidates") == order.folder.names("games") == [SHARD.file]


def test_a_folder_is_the_same_one_wherever_a_worker_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sent = pickle.dumps(Place("pool"))
    monkeypatch.chdir(os.path.dirname(tmp_path))
    assert pickle.loads(sent) == Place(str(tmp_path / "pool"))
    assert pickle.loads(pickle.dumps(Place("s3://bucket/pool"))) == Place("s3://bucket/pool")
