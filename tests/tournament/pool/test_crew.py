"""One team of workers for a whole run, and none where there is nothing left to do."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from antemill.engine.execute import Executor, Job, Setup, make_executor
from antemill.tournament.pipeline import run_pipeline
from antemill.tournament.pool.jobs import SETUP, Crew, perform, team
from tests.tournament.pool.pool_jobs import files_of

SEEDS = (0, 300)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Executor]:
    """The executors that are made during a test."""
    found: list[Executor] = []

    def noted(name: str, workers: int | None = None, setup: Setup = SETUP) -> Executor:
        found.append(make_executor(name, workers, setup))
        return found[-1]

    monkeypatch.setattr("antemill.tournament.pool.jobs.make_executor", noted)
    return found


def process(_seed: int) -> int:
    """In a worker: its process."""
    return os.getpid()


def test_all_steps_of_a_run_have_the_same_workers_and_a_finished_one_needs_none(
    tmp_path: Path, made: list[Executor]
) -> None:
    run_pipeline(tmp_path / "two" / "run", SEEDS, 6, workers=2, quiet=True)
    assert len(made) == 1
    want = files_of(tmp_path / "two" / "run")
    run_pipeline(tmp_path / "two" / "run", SEEDS, 6, workers=2, quiet=True)
    assert len(made) == 1
    assert files_of(tmp_path / "two" / "run") == want
    run_pipeline(tmp_path / "one" / "run", SEEDS, 6, workers=1, quiet=True)
    assert files_of(tmp_path / "one" / "run") == want


def test_a_crew_keeps_its_workers_from_one_step_to_the_next(made: list[Executor]) -> None:
    with closing(Crew(1, "local")) as crew:
        assert not crew.started
        for _ in range(2):
            with team(3, "ray", crew=crew) as found:
                assert [value for _, value in perform([Job("pid", 0, process)], found)] == [os.getpid()]
        assert crew.started
    assert len(made) == 1
    assert not crew.started
