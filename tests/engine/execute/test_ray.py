"""antemill.engine.execute on a Ray cluster of several nodes: what is lost is done again."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from antemill.engine.errors import ExecutionError
from antemill.engine.execute import Job, Setup
from antemill.engine.execute.ray import on_ray
from tests.engine.execute import execute_jobs as work
from tests.engine.execute.clusters import HAS_RAY, PATIENCE, Nodes, cluster, joined, until

if HAS_RAY:

    @pytest.fixture(scope="module")
    def head() -> Iterator[Nodes]:
        """One head for all tests, which takes seconds to start."""
        with cluster() as made:
            yield made

    @pytest.fixture
    def nodes(head: Nodes) -> Iterator[Nodes]:
        yield head
        head.clear()

    def while_running(jobs: list[Job[Any]], meanwhile: Callable[[], None]) -> list[Any]:
        """The values of jobs, in order of their keys, while something happens in this thread, which may add nodes."""
        found: dict[Any, Any] = {}
        other = threading.Thread(target=lambda: found.update({one.key: one.unwrap() for one in on_ray(jobs)}))
        other.start()
        meanwhile()
        other.join(PATIENCE)
        return [found[key] for key in sorted(found)]

    @pytest.mark.extended
    def test_a_worker_and_a_node_are_killed_and_another_node_comes(nodes: Nodes, tmp_path: Path) -> None:
        first, _ = nodes.add(), nodes.add()
        waiting = [Job(seed, seed, work.begin_and_wait, (str(tmp_path),)) for seed in range(6)]

        def meanwhile() -> None:
            lost = next(one for one in until(lambda: begun(tmp_path, 2), "two jobs") if one.node != first.node_id)
            os.kill(lost.pid, signal.SIGKILL)
            until(lambda: begun(tmp_path, 3), "a job on the node of the lost worker")
            nodes.kill(first)
            third = nodes.add()
            until(lambda: [one for one in begun(tmp_path, 4) if one.node == third.node_id], "a job on a new node")
            (tmp_path / "go").touch()

        with joined(nodes):
            assert while_running(waiting, meanwhile) == [0, 1, 2, 3, 4, 5]

    @pytest.mark.extended
    def test_failures_are_outcomes_and_a_job_that_kills_every_worker_ends_the_run(nodes: Nodes) -> None:
        nodes.add(2)
        with joined(nodes):
            assert [outcome.error for outcome in on_ray([Job(0, 0, work.fail)])] == ["ValueError: bad seed 0"]
            with pytest.raises(ExecutionError, match=r"^the Ray cluster cannot do the work \(.*\)\.$"):
                list(on_ray([Job(0, 0, work.die)]))
            with pytest.raises(ExecutionError, match="no_such_module"):
                list(on_ray([Job(0, 0, work.square)], setup=Setup(("no_such_module",))))
            assert [outcome.value for outcome in on_ray([Job(0, 7, work.square)], 1)] == [49]

    @pytest.mark.extended
    def test_a_cluster_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
        """Ray itself would try for minutes."""
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            where = f"127.0.0.1:{unused.getsockname()[1]}"  # no process listens
            monkeypatch.setenv("RAY_ADDRESS", where)
            with pytest.raises(
                ExecutionError, match=rf"^cannot join the Ray cluster at {where}: connection refused\.$"
            ):
                list(on_ray([Job(0, 0, work.square)]))


class Begun(NamedTuple):
    """A beginning of a job."""

    seed: int
    pid: int
    node: str


def begun(folder: Path, count: int) -> list[Begun]:
    """What has begun, if it is at least so many."""
    parts = [path.name.split("-") for path in folder.glob("began-*")]
    found = [Begun(int(seed), int(pid), node) for _, seed, pid, node in parts]
    return found if len(found) >= count else []
