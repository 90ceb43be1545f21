"""Wheels of the project as it is, and environments to install them into.

Nothing is built in the checkout itself, where setuptools would leave its folders. Most environments borrow what
antemill needs (numba, numpy, Arrow, ...) from the one that runs the tests, since installing it takes a minute: a .pth
file names a folder of links. pip leaves alone what lies outside of an environment. What a test is about is installed
for real.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

from tests.imports import ROOT

BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_{what}(sys.argv[1]))"
LENT = ("gymnasium", "setuptools", "pip")  # beside what antemill depends on
_OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "MYPYPATH")  # variables that would reach into an environment


@dataclass(frozen=True)
class Built:
    """What was made of a copy of the checkout. again: the wheel that was built from the source distribution."""

    checkout: Path
    source: Path
    wheel: Path
    again: Path


@dataclass(frozen=True)
class Environment:
    """A virtual environment without pip, into which the pip of the tests installs."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def packages(self) -> Path:
        return next(self.folder.glob("lib/python*/site-packages"))

    def pip(self, *arguments: str | Path) -> str:
        return run(sys.executable, "-m", "pip", "--python", self.python, *arguments)

    def install(self, *what: str | Path) -> None:
        self.pip("install", "--quiet", "--disable-pip-version-check", "--no-compile", *what)

    def command(self, name: str, *arguments: str | Path) -> str:
        """What a command of the environment prints, in a folder with nothing else in it."""
        return run(self.folder / "bin" / name, *arguments, cwd=self.work, LLM_USER_PATH=str(self.work / "llm"))

    @property
    def work(self) -> Path:
        made = self.folder / "work"
        made.mkdir(exist_ok=True)
        return made

    def files(self) -> set[str]:
        """All files of the environment but compiled ones."""
        every = (path.relative_to(self.folder) for path in self.folder.rglob("*") if not path.is_dir())
        return {str(path) for path in every if not {"__pycache__", "work"} & set(path.parts)}


def run(*command: str | Path, cwd: Path | None = None, code: int = 0, **variables: str) -> str:
    """What a command prints, which ends with that code."""
    clean = {name: value for name, value in os.environ.items() if name not in _OURS}
    environment = clean | {"PYTHONNOUSERSITE": "1", "NO_COLOR": "1"} | variables
    ended = subprocess.run(list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True)
    assert ended.returncode == code, f"{command}: {ended.stdout}\n{ended.stderr}"
    return ended.stdout


def tracked() -> list[str]:
    """The files of the checkout that git knows, as they are now; links to folders are one each."""
    found = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in found.split("\0") if name and os.path.lexists(ROOT / name)]


def build(folder: Path) -> Built:
    """Build everything from a copy."""
    checkout = folder / "checkout"
    for name in tracked():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, checkout / name, follow_symlinks=False)
    source = _built("sdist", checkout, folder / "sdist")
    with tarfile.open(source) as archive:
        archive.extractall(folder / "extracted", filter="data")
    (extracted,) = (folder / "extracted").iterdir()
    again = _built("wheel", extracted, folder / "again")
    return Built(checkout, source, _built("wheel", checkout, folder / "wheel"), again)


def _built(what: str, checkout: Path, out: Path) -> Path:
    out.mkdir()
    return out / run(sys.executable, "-c", BUILD.format(what=what), out, cwd=checkout).split("\n")[-2]


def fresh(folder: Path) -> Environment:
    """A new environment with nothing in it."""
    venv.create(folder, symlinks=True)
    return Environment(folder)


def lent(folder: Path, *more: str) -> Environment:
    """A new environment that has what antemill depends on, and more, by links."""
    made = fresh(folder)
    links = folder.with_name(f"{folder.name}-lent")
    links.mkdir()
    for name in sorted(_needed("antemill", *LENT, *more) - {"antemill"}):
        found = distribution(name)
        for top in sorted({file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}):
            if not top.endswith(".pth") and not (links / top).exists():
                (links / top).symlink_to(Path(str(found.locate_file(top))))
    (made.packages / "lent.pth").write_text(f"{links}\n")
    return made


@cache
def _needed(*names: str) -> set[str]:
    """Packages with all that they depend on here."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            required = map(Requirement, distribution(name).requires or ())
            waiting += [one.name for one in required if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """A folder that the first process which asks for it makes; others, of the same tests, wait."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            new = folder.with_name(f"{folder.name}.new")
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            make(new)
            new.rename(folder)
    return folder


def removed_afterwards(environment: Environment) -> Iterator[Environment]:
    """It is large, and pytest keeps what it makes."""
    try:
        yield environment
    finally:
        shutil.rmtree(environment.folder)
