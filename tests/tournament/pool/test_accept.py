"""`pool build --accept N`: the pool of the seeds up to the N-th accepted game, however it came about (G45)."""

from __future__ import annotations

from pathlib import Path

import pytest

from antemill.tournament.cli.entry import run
from antemill.tournament.pool import accept as accepting
from antemill.tournament.pool import build
from antemill.tournament.pool.accept import build_accepting
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.layout import open_pool
from antemill.tournament.pool.score import score_pool
from tests.tournament.pool.pool_jobs import files_of

SEEDS = (0, 400)


def games_of(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in files_of(folder).items() if name != "pool.json"}


def test_it_stops_at_the_seed_of_the_last_game_wanted(tmp_path: Path) -> None:
    wanted = 8
    built = build_accepting(tmp_path / "a", SEEDS, wanted, workers=1)
    first, stop = open_pool(tmp_path / "a").settings.seeds
    assert (built.accepted, built.candidates, first) == (wanted, stop, 0)
    exact = build_pool(tmp_path / "b", (0, stop), workers=1)
    fewer = build_pool(tmp_path / "c", (0, stop - 1), workers=1) if stop > 1 else None
    assert exact == built
    assert fewer is None or fewer.accepted == wanted - 1
    assert games_of(tmp_path / "a") == games_of(tmp_path / "b")
    before = files_of(tmp_path / "a")
    assert build_accepting(tmp_path / "a", SEEDS, wanted, workers=1) == built
    assert files_of(tmp_path / "a") == before
    assert score_pool(tmp_path / "a", "fast", ["state_space"], workers=1).games == wanted


def test_wherever_it_is_killed_the_same_command_finishes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_accepting(tmp_path / "whole", SEEDS, 20, workers=1)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for module, name in ((accepting, "_last"), (accepting, "save_pool"), (build, "_tidy"), (build, "acceptance")):
        folder = tmp_path / name
        with monkeypatch.context() as patch:
            patch.setattr(module, name, killed)
            with pytest.raises(KeyboardInterrupt):
                build_accepting(folder, SEEDS, 20, workers=1)
        assert build_accepting(folder, SEEDS, 20, workers=1).accepted == 20
        assert files_of(folder) == files_of(tmp_path / "whole")


def test_the_command_builds_all_seeds_that_give_too_few(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["pool", "build", str(tmp_path), "--seeds", "0:60", "--workers", "1", "--accept"]
    assert run([*command, "1000"]) == 0
    assert "fewer than the 1,000 wanted" in capsys.readouterr().out
    assert open_pool(tmp_path).settings.seeds == (0, 60)
    assert run([*command, "0"]) == 2
    assert "cannot stop at 0 accepted games" in capsys.readouterr().err
