"""`engine.execute.compiling`: what is made is complete, made once, and does what the sources do."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from engine import compiled
from engine.errors import AntemillError, ExecutionError, StorageError
from engine.execute import compiling

BUILT = """
import pathlib, sys, time
modules = pathlib.Path(sys.argv[2])
assert all(pathlib.Path(source).is_file() for source in sys.argv[3:]), "the sources are here"
(modules / "engine").mkdir(parents=True)
(modules / "engine" / "first.so").write_text("1")
open({log!r}, "a").write("built ")
time.sleep({seconds})
(modules / {library!r}).write_text("2")
"""
FAILS = "import sys; sys.exit('drawing.c:7: error: no such thing')"
MAKE = "from engine.execute import compiling; from pathlib import Path; compiling.SCRIPT = Path({script!r}); "
MAKE += "compiling._require_tools = lambda: None; "
MAKE += "print(compiling.compile_rules(quiet=True)[1])"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("ANTEMILL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine has, as far as anybody looks."""
    monkeypatch.setattr(compiling, "_require_tools", lambda: None)


def building(tmp_path: Path, text: str = BUILT, seconds: float = 0.0) -> Path:
    """A script that takes the place of mypyc and the C compiler, and notes that it was run."""
    script = tmp_path / "build.py"
    script.write_text(
        text.replace("{log!r}", repr(str(tmp_path / "log")))
        .replace("{library!r}", repr(compiled.LIBRARY_FILE))
        .replace("{seconds}", str(seconds))
    )
    return script


def runs(tmp_path: Path) -> int:
    """How often the script was run."""
    log = tmp_path / "log"
    return len(log.read_text().split()) if log.exists() else 0


def contents(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.usefixtures("tools")
def test_a_folder_is_made_once(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "SCRIPT", building(tmp_path))
    folder, made = compiling.compile_rules(quiet=True)
    assert made
    assert folder == compiled.folder()
    library = folder / compiled.LIBRARY_FILE
    assert contents(cache) == sorted(
        ["compiling/lock", f"{folder.name}/engine/first.so", f"{folder.name}/{library.name}"]
    )
    assert compiling.compile_rules(quiet=True) == (folder, False)
    assert runs(tmp_path) == 1
    library.unlink()  # as those do who delete old files, and leave the folder
    assert compiling.compile_rules(quiet=True) == (folder, True)
    assert library.is_file()


@pytest.mark.usefixtures("tools", "cache")
def test_the_environments_settings_of_compilers_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would round otherwise, or make what other machines of the same kind can not run."""
    monkeypatch.setenv("CFLAGS", "-Ofast -march=native")
    monkeypatch.setattr(
        compiling, "SCRIPT", building(tmp_path, f"import os\nassert 'CFLAGS' not in os.environ\n{BUILT}")
    )
    assert compiling.compile_rules(quiet=True)[1]


@pytest.mark.usefixtures("tools")
def test_what_failed_leaves_nothing_and_says_why(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "SCRIPT", building(tmp_path, BUILT + FAILS))
    with pytest.raises(ExecutionError, match=r"drawing\.c:7: error: no such thing"):
        compiling.compile_rules(quiet=True)
    assert contents(cache) == ["compiling/lock"]
    monkeypatch.setattr(compiling, "SCRIPT", building(tmp_path))
    assert compiling.compile_rules(quiet=True)[1]


def test_a_maker_that_is_killed_leaves_nothing_that_counts(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the modules lie there; the next one begins anew."""
    script = building(tmp_path, seconds=60)
    half = cache / "compiling" / "modules" / "engine" / "first.so"
    command = [sys.executable, "-c", MAKE.format(script=str(script))]
    with subprocess.Popen(command, start_new_session=True) as maker:
        end = time.monotonic() + 60
        while not half.exists() and time.monotonic() < end:
            time.sleep(0.05)
        os.killpg(maker.pid, signal.SIGKILL)
    assert half.exists()
    assert not compiled.folder().exists()
    monkeypatch.setattr(compiling, "SCRIPT", building(tmp_path))
    folder, made = compiling.compile_rules(quiet=True)
    assert made
    made_of = [f"{folder.name}/{compiled.LIBRARY_FILE}", f"{folder.name}/engine/first.so"]
    assert contents(cache) == [*made_of, "compiling/lock"]


def test_of_two_makers_one_compiles(cache: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKE.format(script=str(building(tmp_path, seconds=1)))]
    makers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sorted(maker.communicate()[0] for maker in makers) == ["False\n", "True\n"]
    assert runs(tmp_path) == 1
    assert compiled.folder().parent == cache


@pytest.mark.usefixtures("tools")
def test_a_full_disk_leaves_nothing(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(compiling, "SCRIPT", building(tmp_path))
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device; ANTEMILL_CACHE names another"):
        compiling.compile_rules(quiet=True)
    assert contents(cache) == ["compiling/lock"]


@pytest.mark.usefixtures("tools")
def test_the_digest_has_to_cover_what_is_imported(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an edit of what it leaves out would not be seen."""
    monkeypatch.setattr(compiling, "SCRIPT", building(tmp_path))
    monkeypatch.setattr(compiled, "_IMPORTED", tuple(set(compiled._IMPORTED) - {"engine/errors.py"}))
    with pytest.raises(ExecutionError, match="does not list engine/errors, which"):
        compiling.compile_rules(quiet=True)
    assert runs(tmp_path) == 0
    assert contents(cache) == ["compiling/lock"]


def test_what_is_missing_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    with monkeypatch.context() as m:
        m.setattr(compiling, "find_spec", lambda name: None if name == "mypyc" else name)
        found.append(refusal())
    monkeypatch.setattr(compiling, "find_spec", lambda name: name)
    with monkeypatch.context() as m:
        m.setenv("CC", "nocc -pthread")
        found.append(refusal())
    monkeypatch.setenv("CC", sys.executable)
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(cache))
    found.append(refusal())
    assert [" ".join(sentence.split()[:4]) for sentence in found] == [
        "mypyc or setuptools is",
        "there is no C",
        "Python's headers are missing:",
    ]
    assert "'nocc'" in found[1]


def refusal() -> str:
    with pytest.raises(AntemillError) as caught:
        compiling.compile_rules(quiet=True)
    return str(caught.value)


def test_a_cache_that_can_not_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ANTEMILL_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(StorageError, match=r"Not a directory; ANTEMILL_CACHE names another"):
        compiling.compile_rules(quiet=True)


@pytest.mark.usefixtures("tools")
def test_nothing_is_compiled_where_every_user_may_write(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "SCRIPT", building(tmp_path))
    cache.mkdir()
    cache.chmod(0o1777)
    with pytest.raises(StorageError, match=r"every user may write to it; ANTEMILL_CACHE names another\."):
        compiling.compile_rules(quiet=True)
    assert contents(cache) == []


# ------------------------------------------------------------------------------------------------ the real thing


DIGESTS = """
import hashlib, multiprocessing, sys, traceback
from engine import compiled
from engine.builder.caps import Caps
from engine.builder.generate import builder_hash, generate
from engine.compiler.compile import compile_spec
from engine.errors import SpecError
from engine.rules.constructs import constructs
from engine.rules.spec import Deck, GameSpec, Shuffle, Steps, to_json
from engine.rules.walk import conditionals
from tests.engine.machine.fuzz_specs import fuzzed
games = [generate(seed) for seed in range(400)]
games += [generate(seed, seed / 40, Caps(complexity=1.8, states=10**6)) for seed in range(60)]
games += [fuzzed(seed) for seed in range(400)]
digest = hashlib.blake2b()
for game in games:
    digest.update(to_json(game) + compile_spec(game).digest.encode() + repr(sorted(constructs(game))).encode())
print(builder_hash(), digest.hexdigest())
with multiprocessing.get_context("spawn").Pool(1) as pool:
    print(pool.apply(compile_spec, (games[3],)).digest, pool.apply(conditionals, (games[3],)))
try:
    compile_spec(GameSpec("Silent", Deck((2, 3), ("x",)), 5, (Steps("First", (Shuffle(),)),), ("First",)))
except SpecError as error:
    place = traceback.extract_tb(error.__traceback__)[-1]
    print(error, place.name, place.lineno, place.line)
print("machine code" if compiled.in_use() else "plain Python", file=sys.stderr)
"""


@pytest.mark.slow
def test_compiled_rules_draw_and_compile_the_same_games(cache: Path, tmp_path: Path) -> None:
    """Generated games, also beyond the benchmark's caps, and those of a fuzzer. An edited source is what runs."""
    try:
        compiling._require_tools()
    except ExecutionError as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))
    root = tmp_path / "project"
    for package in ("engine", "tests"):
        shutil.copytree(compiled.TOP / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "engine.execute.compiling"]
    made = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert "machine code from now on" in made.stdout
    assert len(list(cache.glob("compiled-*/engine/*/*"))) == len(compiled.compiled_sources())

    machine, plain = said(root), said(root, ANTEMILL_INTERPRETED="1")
    assert (machine[0], plain[0]) == ("machine code", "plain Python")
    assert machine[1] == plain[1]
    dial = root / "engine" / "builder" / "dial.py"
    dial.write_text(dial.read_text().replace('"chips": (4.0, 4.3)', '"chips": (5.0, 5.3)'))
    edited = said(root)
    assert edited[0] == "plain Python"
    assert edited[1] != plain[1]


def said(root: Path, **environment: str) -> tuple[str, str]:
    """What ran, and what it made, did in another process, and raised where."""
    command = [sys.executable, "-c", DIGESTS]
    done = subprocess.run(command, cwd=root, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr.strip(), done.stdout
