"""`pool build --accept N`: the pool of the seeds up to the N-th accepted game, however it came about (G45)."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from antemill.tournament.cli.entry import run
from antemill.tournament.pool import build
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.layout import Pool, open_pool
from antemill.tournament.pool.repeats import find_repeats
from antemill.tournament.pool.score import score_pool
from tests.tournament.pool.pool_jobs import files_of, games_of

SEEDS = (0, 400)


def test_it_stops_at_the_seed_of_the_last_game_wanted(tmp_path: Path) -> None:
    wanted = 8
    built = build_pool(tmp_path / "a", SEEDS, accept=wanted, workers=1)
    first, stop = open_pool(tmp_path / "a").settings.seeds
    assert (built.accepted, built.candidates, first) == (wanted, stop, 0)
    exact = build_pool(tmp_path / "b", (0, stop), workers=1)
    assert exact == built
    assert build_pool(tmp_path / "c", (0, stop - 1), workers=1).accepted == wanted - 1
    assert games_of(tmp_path / "a").equals(games_of(tmp_path / "b"))
    before = files_of(tmp_path / "a")
    assert build_pool(tmp_path / "a", SEEDS, accept=wanted, workers=1) == built
    assert files_of(tmp_path / "a") == before
    assert score_pool(tmp_path / "a", workers=1).games == wanted
    (tmp_path / "a" / "pool.json").unlink()
    assert open_pool(tmp_path / "a").settings.accept == wanted
    assert (tmp_path / "a" / "pool.json").read_bytes() == before["pool.json"]


def test_wherever_it_is_killed_the_same_command_finishes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_pool(tmp_path / "whole", SEEDS, accept=20, workers=1)
    save, saved = Pool.save, 0

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    def killed_at_the_cut(pool: Pool) -> Pool:
        nonlocal saved
        saved += 1
        done = save(pool)
        if saved > 1:
            raise KeyboardInterrupt
        return done

    places = [(build, "_last", killed), (Pool, "save", killed_at_the_cut), (build, "_tidy", killed)]
    for holder, name, kill in [*places, (build, "acceptance", killed), (build, "find_repeats", killed)]:
        folder = tmp_path / name
        with monkeypatch.context() as patch:
            patch.setattr(holder, name, kill)
            with pytest.raises(KeyboardInterrupt):
                build_pool(folder, SEEDS, accept=20, workers=1)
        assert build_pool(folder, SEEDS, accept=20, workers=1).accepted == 20
        assert files_of(folder) == files_of(tmp_path / "whole")


def test_a_pool_grows_in_steps_until_it_has_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_FIRST", 1)
    found, steps = find_repeats, 0

    def counted(pool: Pool) -> pa.Array:
        nonlocal steps
        steps += 1
        return found(pool)

    monkeypatch.setattr(build, "find_repeats", counted)
    assert build_pool(tmp_path, SEEDS, accept=20, workers=1).accepted == 20
    assert steps >= 3


def test_the_command_builds_all_seeds_that_give_too_few(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["pool", "build", str(tmp_path), "--seeds", "0:60", "--workers", "1", "--accept"]
    assert run([*command, "1000"]) == 0
    assert "fewer than the 1,000 wanted" in capsys.readouterr().out
    assert open_pool(tmp_path).settings.seeds == (0, 60)
    assert run([*command, "0"]) == 2
    assert "cannot stop at 0 accepted games" in capsys.readouterr().err
