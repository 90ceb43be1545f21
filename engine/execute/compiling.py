"""Compiling the rules ahead of time: `python -m engine.execute.compiling`, or `make compiled`. Takes a minute or two.

What it makes is loaded from then on whenever the rules are imported, until one of their sources is edited
(`engine.compiled`). It needs the packages of the extra `compiled`, a C compiler, and Python's headers.

The sources are copied, and what is compiled, and named after its bytes, is this copy. Of several processes one
compiles, and the others wait for it. What is being made is in a folder `compiling` of the cache, which is emptied
before and afterwards; the finished folder is moved to its place.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from engine import compiled
from engine.cache_root import locked, preferred_root, trusted
from engine.digests import Sources
from engine.errors import AntemillError, ExecutionError, StorageError
from engine.execute.progress import progress_bar

SCRIPT = compiled.TOP / compiled.BUILD
_NOT_OURS = ("MYPY", "CFLAGS", "CPPFLAGS", "LDFLAGS")
_LINES = 5  # of the compiler's output that an error shows, at most


def compile_rules(quiet: bool = False) -> tuple[Path, bool]:
    """The folder with the machine code of the sources as they are now, and whether it was made by this call.

    quiet: nothing on stderr. Raises ExecutionError if something that is needed is missing, or if compiling fails, and
    StorageError if the cache can not be written, or if another user may have written there.
    """
    try:
        root = preferred_root()
        root.mkdir(parents=True, exist_ok=True)
        if not trusted(root):
            raise PermissionError(f"{root} is another user's, or every user may write to it")
        work = root / "compiling"
        with locked(work):
            _empty(work)
            try:
                return _compile(work, quiet)
            finally:
                _empty(work)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StorageError(
            f"the rules can not be compiled into the cache: {reason}; ANTEMILL_CACHE names another."
        ) from error


def _compile(work: Path, quiet: bool) -> tuple[Path, bool]:
    sources, modules = work / "sources", work / "modules"
    _copy(sources)
    folder = compiled.folder(sources)
    if (folder / compiled.LIBRARY_FILE).is_file():
        return folder, False
    _require_tools()
    _require_all_imports()
    if not quiet:
        print("compiling the rules takes a minute or two", file=sys.stderr, flush=True)
    _build(sources, modules, quiet)
    for path in [*modules.rglob("*"), modules]:
        _to_disk(path)
    shutil.rmtree(folder, ignore_errors=True)  # what somebody who deletes old files has left of one
    modules.rename(folder)
    _to_disk(folder.parent)
    return folder, True


def _copy(target: Path) -> None:
    """Copy the sources, and make packages of their folders."""
    for path in compiled.read_sources():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(compiled.TOP / path, target / path)
    for folder in (path for path in target.rglob("*") if path.is_dir()):
        (folder / "__init__.py").touch()


def _require_tools() -> None:
    """Raises ExecutionError if something is missing."""
    if not (find_spec("mypyc") and find_spec("setuptools")):
        raise ExecutionError("mypyc or setuptools is missing: install the extra `compiled`, or run `make compiled`.")
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        raise ExecutionError(f"there is no C compiler '{compiler}': install one, or name another in CC.")
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        raise ExecutionError("Python's headers are missing: install them (Debian calls the package python3-dev).")


def _require_all_imports() -> None:
    """Raises ExecutionError if the digest leaves out a module that the compiled ones import."""
    names = [path.removesuffix(".py").replace("/", ".") for path in compiled.compiled_sources()]
    reached = {name.replace(".", "/") for name in Sources().reached(names)}
    read = {path.removesuffix(".py").removesuffix("/__init__") for path in compiled.read_sources()}
    if missing := sorted(reached - read):
        raise ExecutionError(f"engine/compiled.py does not list {', '.join(missing)}, which the rules import.")


def _build(sources: Path, modules: Path, quiet: bool) -> None:
    """Run the build, and show how many files of C are compiled."""
    command = [sys.executable, "-P", str(SCRIPT), compiled.GROUP, str(modules), *compiled.compiled_sources(sources)]
    # Without settings of the user's own: for mypy its cache above all, for the compiler what would round otherwise, or
    # not run on another machine of the same kind.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_OURS)}
    log = sources.parent / "log"
    with log.open("wb") as output, progress_bar("compiling the rules", quiet=quiet) as progress:
        child = subprocess.Popen(
            command, cwd=sources, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        try:
            while child.poll() is None:
                progress(_count(sources, "*.o"), _count(sources, "*.c") or None)
                _wait_a_moment(child)
        finally:
            child.kill()
            child.wait()
    if child.returncode != 0:
        lines = [line for line in log.read_text(errors="replace").splitlines() if "warning" not in line]
        said = "\n".join(lines[-_LINES:])
        raise ExecutionError(f"the rules could not be compiled; the compiler's last words:\n{said}")


def _wait_a_moment(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(0.5)
    except subprocess.TimeoutExpired:
        return


def _count(folder: Path, pattern: str) -> int:
    return sum(1 for _ in folder.rglob(pattern))


def _to_disk(path: Path) -> None:
    """Have the system write a file or folder before anything that is done later."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _empty(work: Path) -> None:
    for path in work.iterdir():
        if path.name != "lock":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main() -> int:
    """The command."""
    try:
        folder, made = compile_rules()
    except AntemillError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(f"the rules are machine code {'from now on' if made else 'already'}: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
