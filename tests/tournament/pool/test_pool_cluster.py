"""The commands of pools on a Ray cluster, as users call them: same bytes, and every end is an orderly one."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path

import pytest

from antemill.engine.kernel_cache import cache_dir
from antemill.tournament.pool import warm
from tests.engine.execute.clusters import HAS_RAY, PATIENCE, Nodes, cluster, until

SEEDS = "40:400"


class Command:
    """`antemill` with these arguments, as a process that leads its own group."""

    def __init__(self, env: Mapping[str, str], cwd: Path, *arguments: str) -> None:
        program = [sys.executable, "-W", "ignore", "-m", "antemill.tournament.cli", *arguments]
        self.process = subprocess.Popen(
            program, env=env, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )

    def end(self) -> tuple[int, str, str]:
        """(exit code, stdout, stderr), waiting for the end."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def want(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the pool of SEEDS, built and scored on this machine."""
    folder = tmp_path_factory.mktemp("local") / "pool"
    for words in (("build", "--seeds", SEEDS), ("score",)):
        pool = Command(os.environ, folder.parent, "pool", words[0], str(folder), *words[1:], "--workers", "1", "--json")
        assert pool.end()[0] == 0
    return contents(folder)


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
    def test_a_cluster_makes_the_same_bytes_and_compiles_for_itself(
        nodes: Nodes, tmp_path: Path, want: dict[str, bytes]
    ) -> None:
        """The workers' cache begins with all kernels but those of best responses; `test_warm` compiles others."""
        there, here = tmp_path / "kernels there", tmp_path / "kernels here"
        shutil.copytree(
            cache_dir(),
            there / cache_dir().name,
            copy_function=os.link,
            ignore=shutil.ignore_patterns("antemill.axes.best_response-*", "compiled"),
        )
        nodes.add(2, {"ANTEMILL_CACHE": str(there)})
        env = nodes.environment() | {"ANTEMILL_CACHE": str(here)}
        for words in (("build", "--seeds", SEEDS), ("score",)):
            done = Command(env, tmp_path, "pool", words[0], "pool", *words[1:], "--executor", "ray", "--json").end()
            assert done[0] == 0, done
        assert contents(tmp_path / "pool") == want
        assert len(list(there.rglob("compiled"))) == 1
        assert list(there.rglob("antemill.axes.best_response-*/*.nbi"))
        assert list(here.rglob("*.nbi")) == []  # workers have done all of it

    @pytest.mark.extended
    def test_the_driver_is_killed_and_the_command_repeated(
        nodes: Nodes, tmp_path: Path, want: dict[str, bytes]
    ) -> None:
        nodes.add(1)
        build = ("pool", "build", "pool", "--seeds", SEEDS, "--executor", "ray", "--json")
        first = Command(nodes.environment(), tmp_path, *build)
        until(lambda: list((tmp_path / "pool").rglob("*.parquet")), "a first cell")
        first.process.kill()
        first.end()
        for words in (build, ("pool", "score", "pool", "--executor", "ray", "--json")):
            done = Command(nodes.environment(), tmp_path, *words).end()
            assert done[0] == 0, done
        assert contents(tmp_path / "pool") == want

    @pytest.mark.extended
    def test_a_node_is_killed(nodes: Nodes, tmp_path: Path, want: dict[str, bytes]) -> None:
        lost, _ = nodes.add(1), nodes.add(1)
        for words in (("build", "--seeds", SEEDS), ("score",)):
            command = Command(
                nodes.environment(), tmp_path, "pool", words[0], "pool", *words[1:], "--executor", "ray", "--json"
            )
            if words[0] == "build":
                until(lambda: list((tmp_path / "pool").rglob("*.parquet")), "a first cell")
                nodes.kill(lost)
            done = command.end()
            assert done[0] == 0, done
        assert contents(tmp_path / "pool") == want

    @pytest.mark.extended
    def test_a_node_with_another_numba_is_refused(nodes: Nodes, tmp_path: Path) -> None:
        fake = tmp_path / "other" / "numba-0.1.dist-info"
        fake.mkdir(parents=True)
        (fake / "METADATA").write_text("Metadata-Version: 2.1\nName: numba\nVersion: 0.1\n")
        nodes.add(1, {"PYTHONPATH": str(fake.parent)})
        refused(nodes, tmp_path, r"a worker has another numba \(0\.1\) than the command .*: install the same antemill")

    def refused(nodes: Nodes, folder: Path, why: str) -> None:
        """The pool cannot be built on this cluster, and nothing was made."""
        build = ("pool", "build", "pool", "--seeds", SEEDS, "--executor", "ray", "--json")
        code, out, err = Command(nodes.environment(), folder, *build).end()
        assert (code, out) == (2, "")
        assert re.search(why, err)
        assert err.count("\n") == 1
        assert [name for name in contents(folder / "pool") if name.endswith(".parquet")] == []


def test_of_several_processes_one_compiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The lock is one between open files, so threads do for processes."""
    compiled: list[int] = []

    def compile_slowly() -> None:
        compiled.append(1)
        time.sleep(0.05)

    monkeypatch.setattr(warm, "module_dir", lambda *_: tmp_path)
    monkeypatch.setattr(warm, "run_kernels", compile_slowly)
    monkeypatch.setattr(warm, "beside", lambda _: nullcontext())
    threads = [threading.Thread(target=warm.warm_kernels) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    warm.warm_kernels()
    assert compiled == [1]
