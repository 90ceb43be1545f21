"""A million seeds on this machine: `python -m studies.scale --folder DIR --write docs/scale.md`.

Builds and scores a small pool without a disturbance, and a large one whose processes are killed twice on the way
(SIGKILL to all of them): once while it is built, once while it is scored; the same commands go on. Both are then
rescored by a copy of the project in which one axis is changed, 200 games are selected, statistics and a page are made,
and three queries asked. The large pool's candidates are compared with the small one's. What was measured is written
between the marks of the page, and the plot beside it; DIR keeps the pools, and the figures as JSON. Nothing else should
run on the machine; a million take some hours. `--seeds 20000 --small 2000` shows in some minutes that it runs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from antemill.tournament.pool.spans import parse
from benches.pages import ROOT, replace, where
from studies.scale_page import PICTURE, Outcome, Step, billion, draw, table
from studies.watch import Watched, watch

# What is changed in the copy: of an axis that no other one is computed from.
SOURCE = ROOT / "src"
AXIS, BEFORE, AFTER = "opponent_modeling", "NEW_SHARE = 0.35 ", "NEW_SHARE = 0.36 "
SELECTED = 200
QUERIES = (
    "SELECT reason, count(*) AS games FROM candidates GROUP BY reason",
    "SELECT floor(complexity * 10) AS tenth, avg(risk), avg(brittleness) FROM accepted JOIN scores USING (pool, seed) "
    "WHERE tier = 'fast' GROUP BY ALL ORDER BY ALL",
    "SELECT count(*) AS games FROM accepted WHERE spec LIKE '%wager%'",
)


class Runner:
    """Runs commands in a folder, one after the other, and keeps what they were like."""

    def __init__(self, folder: Path, outcome: Outcome, workers: int) -> None:
        self.folder, self.outcome, self._workers = folder, outcome, str(workers)

    def step(
        self,
        pool: str,
        name: str,
        *words: str,
        parallel: bool = False,
        progress: Callable[[], int] = lambda: 0,
        kill_at: int | None = None,
        source: Path = SOURCE,
    ) -> Watched:
        """`antemill` with these words; says on stderr how it went."""
        words = (*words, *(("--workers", self._workers) if parallel else ()))
        shown = " ".join(["antemill", *(f'"{word}"' if " " in word else word for word in words)])
        command = [sys.executable, "-m", "antemill.tournament.cli", *words]
        env = os.environ | {"PYTHONPATH": str(source)}
        watched = watch(command, progress, kill_at, env, self.folder)
        self.outcome.steps.append(Step(pool, name, shown, watched))
        how = "killed" if watched.killed else "done"
        peak = self.outcome.steps[-1].peak
        print(
            f"{time.strftime('%H:%M:%S')} {shown}: {how} after {watched.seconds:.1f} s, {peak:.0f} MB", file=sys.stderr
        )
        return watched


def covered(*folders: Path) -> int:
    """How many seeds the files in these folders are about."""
    found = (parse(path.name) for folder in folders for path in folder.rglob("*.parquet"))
    return sum(each[0].size for each in found if each is not None)


def make(runner: Runner, pool: str, kills: bool) -> None:
    """Build and score a pool, with a kill in the middle of both if told."""
    seeds, at = runner.outcome.seeds[pool], runner.folder / pool
    build = ("pool", "build", pool, "--seeds", f"0:{seeds}", "--json")
    score = ("pool", "score", pool, "--json")
    for name, words, parts in (
        ("build", build, (at / "parts", at / "candidates")),
        ("score", score, (at / "scores",)),
    ):
        step = partial(runner.step, pool, name, *words, parallel=True, progress=partial(covered, *parts))
        if kills:
            step(kill_at=int(0.4 * seeds))
        step()


def changed_project(folder: Path) -> Path:
    """A copy of the project in which one axis is another one."""
    copy = folder / "changed"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(SOURCE / "antemill", copy / "antemill", ignore=shutil.ignore_patterns("__pycache__"))
    module = copy / "antemill" / "axes" / f"{AXIS}.py"
    text = module.read_text(encoding="utf-8")
    assert text.count(BEFORE) == 1
    module.write_text(text.replace(BEFORE, AFTER), encoding="utf-8")
    return copy


def use(runner: Runner, pool: str) -> None:
    """All that is done with a scored pool."""
    at = runner.folder / pool
    runner.step(pool, "select", "pool", "select", pool, "--count", str(SELECTED), "-o", f"{pool}/benchmark.parquet")
    stats = runner.step(pool, "stats", "pool", "stats", pool, "--json")
    runner.outcome.accepted[pool] = msgspec.json.decode(stats.out)["accepted"]
    runner.step(pool, "page", "report", pool, "-o", f"{pool}.html")
    runner.outcome.page[pool] = (runner.folder / f"{pool}.html").stat().st_size
    for number, query in enumerate(QUERIES, 1):
        runner.step(pool, f"query {number}", "pool", "query", query, pool, "--csv")
    sizes = {part: _bytes(at / part) for part in ("candidates", "games", "scores")}
    runner.outcome.sizes[pool] = sizes
    runner.outcome.files[pool] = sum(path.is_file() for path in at.rglob("*"))


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def same(runner: Runner, small: str, large: str) -> bool:
    """Whether all that the pools say of the small one's seeds is the same."""
    last = runner.outcome.seeds[small]
    found = []
    for name in ("candidates", "accepted", "scores"):
        for pool in (small, large):
            query = f"SELECT * EXCLUDE (pool) FROM {name} WHERE seed < {last} ORDER BY seed"
            target = runner.folder / f"{name}-{pool}.parquet"
            runner.step(pool, "comparison", "pool", "query", query, pool, "-o", target.name)
            found.append(target.read_bytes())
            target.unlink()
    return found[0::2] == found[1::2]


def measure(folder: Path, seeds: int, small: int, workers: int) -> Outcome:
    """Do all of it in a folder, which is made, and must not be there."""
    folder.mkdir(parents=True)
    outcome = Outcome({"small": small, "large": seeds})
    runner = Runner(folder, outcome, workers)
    changed = changed_project(folder)
    for source in (SOURCE, changed):  # kernels are compiled before anything is timed
        runner.step("warm", "warm", "run", "--seeds", "0:60", "--out", "warm", "--count", "3", source=source)
    for pool in ("small", "large"):
        make(runner, pool, kills=pool == "large")
        use(runner, pool)
    outcome.same = same(runner, "small", "large")
    for pool in ("small", "large"):
        runner.step(pool, "rescore", "pool", "score", pool, "--json", parallel=True, source=changed)
    (folder / "figures.json").write_bytes(msgspec.json.encode(outcome))
    return outcome


def write(page: Path, outcome: Outcome, workers: int) -> None:
    """Put the figures into the page and the plot beside it."""
    text = page.read_text(encoding="utf-8")
    picture = f"![Memory over time, of both pools]({PICTURE})"
    text = replace(text, "figures", f"{table(outcome)}\n\n{picture}\n\nMeasured with {workers} workers on {where()}.")
    text = replace(text, "billion", billion(outcome, workers))
    draw(page.parent / PICTURE, outcome)
    page.write_text(text, encoding="utf-8")


def main(given: Sequence[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, required=True, help="a new folder for the pools")
    parser.add_argument("--write", type=Path, help="the page; without it the table is printed")
    parser.add_argument("--figures", type=Path, help="figures.json of an earlier run, instead of measuring")
    parser.add_argument("--seeds", type=int, default=1_000_000, help="of the large pool")
    parser.add_argument("--small", type=int, default=100_000, help="of the small pool")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args(given)
    if asked.write is not None and not asked.write.is_file():
        parser.error(f"there is no page {asked.write}: name one with the markers of the figures, as docs/scale.md.")
    if asked.figures is not None:
        outcome = msgspec.json.decode(asked.figures.read_bytes(), type=Outcome)
    else:
        outcome = measure(asked.folder.resolve(), asked.seeds, asked.small, asked.workers)
    if asked.write is None:
        print(table(outcome))
    else:
        write(asked.write, outcome, asked.workers)


if __name__ == "__main__":
    main()
