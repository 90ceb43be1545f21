"""A large pool: selection, statistics, page and queries by the commands that users call, in bounded memory.

Of a quarter of a million candidates, in `make test-all` of nearly a million.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from antemill.axes import AXES
from antemill.tournament.pool.build import acceptance
from antemill.tournament.pool.layout import complete_pool
from antemill.tournament.pool.query import query_pools
from antemill.tournament.pool.select import read_points
from antemill.tournament.pool.spans import SHARD
from tests.seeds import size
from tests.tournament.pool.synthetic import synthetic_pool

SHARDS = size(1, 8)
SEEDS = SHARDS * SHARD + 1_000
MOST_MB = size(450, 800)  # resident; about 250 are what every command loads

_CALL = """
import re, resource, sys
from antemill.tournament.cli.entry import run
code = run(sys.argv[1:])
needed = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_000_000
if sys.platform == "linux":  # where ru_maxrss counts the process that started this one, too
    needed = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1_000
print(needed, file=sys.stderr)
sys.exit(code)
"""


def antemill(folder: Path, *words: str) -> tuple[str, int]:
    """What a command prints, and the MB that it needed."""
    done = subprocess.run(
        [sys.executable, "-c", _CALL, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, int(done.stderr.splitlines()[-1])


def test_a_synthetic_pool_is_a_pool(tmp_path: Path) -> None:
    pool = synthetic_pool(tmp_path / "pool", 950, base=100)
    counts = acceptance(complete_pool(pool.folder))
    points = read_points(complete_pool(pool.folder))
    assert counts.candidates == 950
    assert counts.accepted == len(points.seeds) == len(np.unique(points.values, axis=0))
    accepted = query_pools("SELECT seed, canonical_digest FROM accepted ORDER BY seed", [pool.folder])
    assert accepted["seed"].to_pylist() == points.seeds.tolist()
    assert len(pc.unique(accepted["canonical_digest"])) == counts.accepted


@pytest.mark.slow
def test_many_candidates(tmp_path: Path) -> None:
    pool = synthetic_pool(tmp_path / "pool", SEEDS, base=300)
    points = read_points(pool)
    assert len(points.seeds) > 20_000 * SHARDS

    words = ("--count", "200", "-o", "pool/benchmark.parquet", "--json")
    out, needed = antemill(tmp_path, "pool", "select", "pool", *words)
    assert needed < MOST_MB
    seeds = json.loads(out)["seeds"]
    assert len(set(seeds)) == 200
    unit = (points.values - points.values.min(axis=0)) / np.ptp(points.values, axis=0)
    nearest = np.full(len(unit), np.inf)
    for earlier, seed in pairwise(seeds):
        at, next_one = np.searchsorted(points.seeds, (earlier, seed))
        nearest = np.minimum(nearest, ((unit - unit[at]) ** 2).sum(axis=1))
        assert nearest[next_one] == pytest.approx(nearest.max())
    benchmark = pq.read_table(tmp_path / "pool" / "benchmark.parquet")
    chosen = np.searchsorted(points.seeds, benchmark["seed"].to_numpy())
    for i, axis in enumerate(AXES):
        assert benchmark[f"fast_{axis}"].to_pylist() == points.values[chosen, i].tolist()
    assert benchmark["spec"].null_count == benchmark["moves"].null_count == 0

    out, needed = antemill(tmp_path, "pool", "stats", "pool", "--json")
    assert needed < MOST_MB
    stats = json.loads(out)
    assert (stats["candidates"], stats["accepted"]) == (SEEDS, len(points.seeds))
    for i, axis in enumerate(AXES):
        assert stats["axes"][axis]["median"] == pytest.approx(np.median(points.values[:, i]))

    _, needed = antemill(tmp_path, "report", "pool", "-o", "page.html")
    assert needed < MOST_MB
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 10_000_000
    assert f"of the {len(points.seeds):,} accepted ones, drawn at random" in page
    assert page.count('<circle class="point chosen"') == 200

    sql = (
        "SELECT accepted, count(*) AS n, count(risk) AS scored FROM candidates LEFT JOIN scores USING (seed) GROUP BY 1"
    )
    out, needed = antemill(tmp_path, "pool", "query", sql, "pool", "--json")
    assert needed < MOST_MB
    counted = {row["accepted"]: (row["n"], row["scored"]) for row in json.loads(out)["rows"]}
    assert counted == {True: (len(points.seeds),) * 2, False: (SEEDS - len(points.seeds), 0)}
