"""antemill.engine.storage.files: a file is complete or absent, after every failure."""

import errno
import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.engine.errors import StorageError
from antemill.engine.storage import files
from antemill.engine.storage.files import SUFFIX, atomic_path, atomic_write, sweep, write_bytes, write_text

ROOT = Path(__file__).parents[3]
FULL = r"^no space left on the disk of /.*: free some space and run the same command again\.$"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_write_and_replace(tmp_path: Path) -> None:
    target = tmp_path / "pool.parquet"
    write_bytes(target, b"old")
    with atomic_write(str(target)) as file:
        file.write(b"new")
        assert target.read_bytes() == b"old"
        assert len(names(tmp_path)) == 2
    assert target.read_bytes() == b"new"
    write_text(target, "Käse")
    assert target.read_bytes() == "Käse".encode()
    assert names(tmp_path) == ["pool.parquet"]


def test_the_data_reach_the_disk_before_the_name_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, bool]] = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(handle: int) -> None:
        calls.append(("fsync", stat.S_ISDIR(os.fstat(handle).st_mode)))
        fsync(handle)

    def noted_replace(source: Path, target: Path) -> None:
        calls.append(("replace", source.read_bytes() == b"data"))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    write_bytes(tmp_path / "file", b"data")
    assert calls == [("fsync", False), ("replace", True), ("fsync", True)]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "near").symlink_to(tmp_path / "far" / "file")
    write_bytes(tmp_path / "near", b"x")
    assert (tmp_path / "near").is_symlink()
    assert (tmp_path / "far" / "file").read_bytes() == b"x"


@pytest.mark.parametrize("raised", [ValueError("mine"), KeyboardInterrupt(), FileNotFoundError("mine")])
def test_an_exception_leaves_the_old_file(tmp_path: Path, raised: BaseException) -> None:
    write_bytes(tmp_path / "file", b"old")

    def write() -> NoReturn:
        with atomic_write(tmp_path / "file") as file:
            file.write(b"half")
            raise raised

    with pytest.raises(type(raised)) as caught:
        write()
    assert caught.value is raised
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_disk_full_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    write_bytes(tmp_path / "file", b"old")

    def fail(*_args: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(StorageError, match=FULL):
        write_bytes(tmp_path / "file", b"new")
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


if Path("/dev/full").exists():  # Linux: every write to it fails as on a full disk

    @pytest.mark.parametrize("buffered", [b"x", bytes(1 << 20)])
    def test_disk_full_while_writing(tmp_path: Path, buffered: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        real = files._create

        def create(temporary: Path, target: Path) -> object:
            file = real(temporary, target)
            os.dup2(full := os.open("/dev/full", os.O_WRONLY), file.fileno())
            os.close(full)
            return file

        monkeypatch.setattr(files, "_create", create)
        with pytest.raises(StorageError, match=FULL):
            write_bytes(tmp_path / "file", buffered)
        assert names(tmp_path) == []

    def test_disk_full_inside_pyarrow(tmp_path: Path) -> None:
        def write() -> None:
            # Not by its name: pyarrow removes a file that it could not write, and root may remove a device.
            with atomic_path(tmp_path / "file"), open("/dev/full", "wb", buffering=0) as full:
                pq.write_table(pa.table({"seed": list(range(100_000))}), full)

        with pytest.raises(StorageError, match=FULL):
            write()
        assert names(tmp_path) == []


def test_impossible_targets(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"^cannot write /.*/none/file: its folder does not exist, .* it first\.$"):
        write_bytes(tmp_path / "none" / "file", b"x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageError, match=r"^cannot write /.*/folder: is a directory\.$"):
        write_bytes(tmp_path / "folder", b"x")
    write_bytes(tmp_path / "file", b"x")
    with pytest.raises(StorageError, match=r"^cannot write /.*/file/below: not a directory\.$"):
        write_bytes(tmp_path / "file" / "below", b"x")
    assert names(tmp_path) == ["file", "folder"]


@pytest.mark.parametrize("through", ["itself", "a link"])
def test_what_is_no_file_is_never_replaced(tmp_path: Path, through: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    name = "pipe" if through == "itself" else "link"
    with pytest.raises(StorageError, match=r"^cannot write /.*/pipe: it is a device, a pipe or a socket; name a .*\.$"):
        write_bytes(tmp_path / name, b"x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert names(tmp_path) == ["link", "pipe"]


def killed_between_temporary_and_rename(target: Path) -> None:
    """Another process writes to `target` and is killed with everything on the disk but the name."""
    code = """
        import os, signal, sys
        from antemill.engine.storage.files import write_bytes
        os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
        write_bytes(sys.argv[1], b"new")
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(target)]
    result = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert result.returncode == -signal.SIGKILL


def test_a_kill_at_the_worst_instant(tmp_path: Path) -> None:
    write_bytes(tmp_path / "file", b"old")
    killed_between_temporary_and_rename(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"old"
    leftover, file = names(tmp_path)
    assert (leftover.startswith(".file."), leftover.endswith(SUFFIX), file) == (True, True, "file")
    assert (tmp_path / leftover).read_bytes() == b"new"
    assert sweep(tmp_path) == 1
    assert sweep(tmp_path) == 0
    assert names(tmp_path) == ["file"]
    write_bytes(tmp_path / "file", b"again")
    assert (tmp_path / "file").read_bytes() == b"again"


def test_a_sweep_spares_files_being_written_and_other_files(tmp_path: Path) -> None:
    for name in ("notes.partial", ".hidden"):
        (tmp_path / name).touch()
    with atomic_write(tmp_path / "file") as file:
        assert sweep(tmp_path) == 0
        file.write(b"x")
    assert names(tmp_path) == [".hidden", "file", "notes.partial"]
