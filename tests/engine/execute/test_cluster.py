"""antemill.engine.execute on a Ray cluster of several nodes: what is lost is done again, and what differs is found."""

import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from antemill.engine.errors import ExecutionError
from antemill.engine.execute import Job, Outcome, Setup, make_executor, run
from antemill.engine.execute.versions import BUILDER, differences, versions
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

    @pytest.mark.extended
    def test_a_job_is_done_again_when_its_worker_is_killed(nodes: Nodes, tmp_path: Path) -> None:
        nodes.add(2)
        with joined(nodes), closing(make_executor("ray")) as executor:
            futures = [executor.submit(job) for job in waiting_jobs(4, tmp_path)]
            first = until(lambda: begun(tmp_path, 2), "two jobs at work")[0]
            os.kill(first.pid, signal.SIGKILL)
            again = until(lambda: [one for one in begun(tmp_path, 3) if one.pid != first.pid], "a third beginning")
            assert first.seed in {one.seed for one in again}
            (tmp_path / "go").touch()
            assert values(futures) == [0, 1, 2, 3]

    @pytest.mark.extended
    def test_a_node_is_killed_and_another_comes(nodes: Nodes, tmp_path: Path) -> None:
        """The jobs of the lost node wait for the one that is left; then a new one takes part."""
        first, _ = nodes.add(), nodes.add()
        with joined(nodes) as ray, closing(make_executor("ray")) as executor:
            futures = [executor.submit(job) for job in waiting_jobs(6, tmp_path)]
            lost = next(
                one for one in until(lambda: begun(tmp_path, 2), "two jobs at work") if one.node == first.node_id
            )
            nodes.kill(first)
            # Counted with a third node before it is missed, it would leave that node to another job.
            until(lambda: first.node_id not in [one["NodeID"] for one in ray.nodes() if one["Alive"]], "its loss")
            third = nodes.add()
            again = until(
                lambda: [one for one in begun(tmp_path, 3) if one.node == third.node_id], "a job on a new node"
            )
            assert [one.seed for one in again] == [lost.seed]
            (tmp_path / "go").touch()
            assert values(futures) == [0, 1, 2, 3, 4, 5]

    @pytest.mark.extended
    def test_nodes_that_come_late_take_part(nodes: Nodes, tmp_path: Path) -> None:
        nodes.add()
        with joined(nodes), closing(make_executor("ray")) as executor:
            futures = [executor.submit(job) for job in waiting_jobs(3, tmp_path)]
            until(lambda: begun(tmp_path, 1), "a job at work")
            late = nodes.add(2)
            until(lambda: begun(tmp_path, 3), "three jobs at work")
            assert sum(one.node == late.node_id for one in begun(tmp_path, 3)) == 2
            (tmp_path / "go").touch()
            assert values(futures) == [0, 1, 2]

    @pytest.mark.extended
    def test_a_full_object_store_stops_nobody() -> None:
        """Outcomes of the size of counts do not pass through it; larger ones find their way when there is room."""
        store = 80 << 20
        with cluster(object_store_memory=store) as nodes:
            nodes.add(1)
            with joined(nodes) as ray, closing(make_executor("ray")) as executor:
                held = [ray.put(bytes(store // 4)) for _ in range(6)]  # more than there is: the rest is on the disk
                jobs: list[Job[Any]] = [Job(seed, seed, work.square) for seed in range(20)]
                jobs += [Job(seed, seed, work.identity, (bytes(store // 2),)) for seed in range(20, 22)]
                outcomes = list(run(jobs, executor))
                assert [outcome.value for outcome in outcomes[:20]] == [seed**2 for seed in range(20)]
                assert [len(outcome.unwrap()) for outcome in outcomes[20:]] == [store // 2] * 2
                assert len(held) == 6

    @pytest.mark.extended
    def test_a_node_without_a_module_is_refused(nodes: Nodes) -> None:
        nodes.add()
        with (
            joined(nodes),
            pytest.raises(ExecutionError, match=r"cannot take part: it has no no_such_module; install"),
        ):
            list(run([Job(0, 0, work.square)], "ray", setup=Setup(("no_such_module",))))

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
                make_executor("ray")


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


def waiting_jobs(count: int, folder: Path) -> list[Job[int]]:
    return [Job(seed, seed, work.begin_and_wait, (str(folder),)) for seed in range(count)]


def values(futures: "list[Future[Outcome[int]]]") -> list[int]:
    return [future.result(PATIENCE).unwrap() for future in futures]


# ------------------------------------------------------------------------------------------------ versions


def test_the_same_code_makes_no_difference() -> None:
    ours = versions(("tests.engine.execute.execute_jobs", "antemill.engine.errors"))
    assert differences(dict(ours), ours) == []
    assert ours["code of antemill.engine.errors"] != ours["builder"]


def test_differences_are_named() -> None:
    ours = versions(("antemill.engine.errors",))
    theirs = ours | {"numba": "0.1", "code of antemill.engine.errors": "1"}
    del theirs["builder"]
    assert differences(theirs, ours) == [
        f"numba 0.1 (here {ours['numba']})",
        f"builder none (here {ours['builder']})",
        "another code of antemill.engine.errors",
    ]


def test_the_builder_is_the_one_that_pools_record() -> None:
    from antemill.engine.builder.generate import builder_hash

    assert versions(())["builder"] == builder_hash()
    assert builder_hash.__module__ == BUILDER
