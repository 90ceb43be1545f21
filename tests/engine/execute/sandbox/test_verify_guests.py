"""The guests of the `wasm` backend: made from the sources beside them, and used only if they are what was recorded."""

import errno
import hashlib
import importlib.util
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.sandbox.choose import examine
from antemill.engine.execute.sandbox.wasm import guest
from antemill.engine.execute.sandbox.wasm.engine import make_engine

BUILD = Path(guest.__file__).parent.parent / "guest" / "build.py"


@pytest.fixture(scope="module")
def build() -> ModuleType:
    """The build script as a module; it is a program, and in no package."""
    spec = importlib.util.spec_from_file_location("build", BUILD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_guests_are_made_from_the_present_sources(build: ModuleType) -> None:
    """Run guest/build.py after a change of guest/ or inside/."""
    assert guest.record().origin == build.origin()
    assert {
        "app.py",
        "wit/judge.wit",
        "inside/stages.py",
        "inside/determinism/static_rule.py",
    } <= build.sources().keys()


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_the_guests_say_so_themselves(number: int) -> None:
    """And they have no imports: instantiated with nothing, by a linker that has nothing."""
    from wasmtime import Store, component

    engine = make_engine()
    store = Store(engine)
    store.set_fuel(10**9)
    store.set_epoch_deadline(1 << 30)
    made: Any = component.Component.deserialize_file(engine, str(guest.compiled(number)))
    assert len(made.type.imports(engine)) == 0
    instance = component.Linker(engine).instantiate(store, made)
    function: Any = instance.get_func(store, "origin")
    assert function(store) == guest.record().origin


@pytest.mark.slow
def test_the_archive_holds_what_is_recorded() -> None:
    """Two guests, with nothing between and behind them, that differ."""
    record = guest.record()
    assert len(record.guests) == 2
    assert len({build.sha256 for build in record.guests}) == 2
    assert [hashlib.sha256(guest.unpack(number)).hexdigest() for number in (0, 1)] == [
        build.sha256 for build in record.guests
    ]
    with lzma.open(guest.ARCHIVE) as file:
        assert sum(len(chunk) for chunk in iter(lambda: file.read(1 << 20), b"")) == sum(b.size for b in record.guests)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive of two tiny guests with its record, and an empty cache; returns the folder."""
    guests = [b"one" * 1000, b"another" * 1000]
    builds = [{"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for data in guests]
    (tmp_path / "guests.xz").write_bytes(lzma.compress(b"".join(guests)))
    (tmp_path / "guests.json").write_text(json.dumps({"origin": "o", "made_by": "m", "guests": builds}))
    monkeypatch.setattr(guest, "ARCHIVE", tmp_path / "guests.xz")
    monkeypatch.setattr(guest, "RECORD", tmp_path / "guests.json")
    monkeypatch.setenv("ANTEMILL_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.usefixtures("small")
def test_each_guest_is_found_in_the_archive() -> None:
    assert guest.unpack(0) == b"one" * 1000
    assert guest.unpack(1) == b"another" * 1000


def test_another_guest_is_refused(small: Path) -> None:
    (small / "guests.xz").write_bytes(lzma.compress(b"One" * 1000 + b"another" * 1000))
    with pytest.raises(ExecutionError, match="digest is wrong"):
        guest.unpack(0)
    finding = examine("wasm")
    assert (finding.usable, "digest is wrong" in finding.reason) == (False, True)
    assert not list((small / "cache").rglob("*.cwasm"))


@pytest.mark.parametrize("damage", [b"", b"no archive", lzma.compress(b"one" * 1000)[:40]])
def test_a_damaged_archive_is_refused(small: Path, damage: bytes) -> None:
    (small / "guests.xz").write_bytes(damage)
    with pytest.raises(ExecutionError, match="install antemill again"):
        guest.unpack(0)


def test_no_archive_is_one_sentence(small: Path) -> None:
    (small / "guests.xz").unlink()
    finding = examine("wasm")
    assert (finding.usable, finding.reason) == (
        False,
        "the wasm sandbox's guest is missing: install antemill again.",
    )


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_without_a_folder_a_guest_is_compiled_once_and_nothing_is_left(small: Path) -> None:
    """A process of its own, so that it exits. It gets a guest twice, from two threads each time, and forks."""
    code = f"""
import os, pathlib, sys, threading
from antemill.engine.execute.sandbox.wasm import guest
folder = pathlib.Path({str(small)!r})
guest.ARCHIVE, guest.RECORD = folder / "guests.xz", folder / "guests.json"
made = []
guest._compile = lambda data: made.append(data) or data
found = []
for _ in range(2):
    threads = [threading.Thread(target=lambda n=n: found.append(guest.compiled(n))) for n in (0, 1)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
if os.fork() == 0:
    sys.exit()
os.wait()
print(len(made), len(set(found)), len({{path.parent for path in found}}), all(path.exists() for path in found))
print(found[0].parent)
"""
    environment = os.environ | {"ANTEMILL_CACHE": "/proc/nowhere", "TMPDIR": str(small)}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    counts, folder = result.stdout.splitlines()
    assert counts == "2 2 1 True"
    assert Path(folder).parent == small
    assert not Path(folder).exists()
    assert not list(small.glob("antemill-*"))


def test_a_folder_that_can_only_be_read_is_used_if_the_guest_is_there(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container's image. Root may write everywhere, so the system's word is replaced."""
    monkeypatch.setattr(guest, "_compile", lambda data: data)
    kept = guest.compiled(0)
    assert kept.is_relative_to(small / "cache")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert guest.compiled(0) == kept
    elsewhere = guest.compiled(1)
    assert not elsewhere.is_relative_to(small / "cache")
    assert elsewhere.read_bytes() == b"another" * 1000


@pytest.mark.usefixtures("small")
def test_a_full_disk_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path, _data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(guest, "_compile", lambda data: data)
    monkeypatch.setattr(guest, "write_bytes", full)
    with pytest.raises(ExecutionError, match=r"No space left.*let ANTEMILL_CACHE name another folder\."):
        guest.compiled(0)


@pytest.mark.parametrize("release", ["49.0.4", "50.0.0", "9.9.9"])
def test_an_older_wasmtime_is_refused(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "version", lambda _name: release)
    with pytest.raises(ExecutionError, match=f"needs wasmtime 50.0.1 or newer, found {release}"):
        guest.require_wasmtime()


@pytest.mark.parametrize("release", ["50.0.1", "50.0.10", "51.0.0", "100.0"])
def test_a_newer_wasmtime_will_do(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "version", lambda _name: release)
    assert guest.require_wasmtime() == release
