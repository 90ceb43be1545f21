"""The one `@kernel` decorator: every compiled function of the project is made here.

Numba's on-disk cache looks at the decorated function's own file only. A helper, an opcode table or a constant that
changes in another file leaves the old machine code in place, silently. Here the cache folder is named after a digest of
all the sources that can reach machine code, of the versions of what compiles them, and of the processor; whatever
changes, kernels are compiled anew. Folders that nobody used for a month are removed.

Kernels may live in `SOURCE_PACKAGES` only, but for the subpackages `WITHOUT_KERNELS`, which no kernel's module imports:
an edit there compiles nothing anew. This is the only module that imports numba's `njit`.

Environment: `ANTEMILL_CACHE` names the root of the cache; `ANTEMILL_BOUNDSCHECK=1` compiles with checked array indices.
"""

import fcntl
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, cast, overload

import llvmlite.binding
import numba
import numpy as np
from numba.core import config as numba_config
from numba.core.caching import FunctionCache

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
Inline = Literal["never", "always"]
ErrorModel = Literal["numpy", "python"]

SOURCE_PACKAGES = ("engine", "axes", "solver")
WITHOUT_KERNELS = frozenset({"builder", "execute", "legality", "match", "rulebook"})
UNUSED_DAYS = 30

_config = cast(Any, numba_config)  # numba fills this module in at run time
_FOLDER = re.compile(r"kernels-[0-9a-f]{32}")


class Kernel(Protocol[P, R]):
    """A compiled function, called like the Python function that it was made from, by Python and by other kernels."""

    @property
    def py_func(self) -> Callable[P, R]:
        """The function before compilation."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


# ------------------------------------------------------------------------------------------------ the cache folder


def source_digest(roots: Iterable[Path], skip: frozenset[str] = frozenset()) -> str:
    """32 hexadecimal digits for the content and the relative paths of all `.py` files below the folders `roots`.

    A root that does not exist counts as empty; folders directly below a root whose names are in `skip` do not count.
    """
    digest = blake2b(digest_size=16)
    for root in roots:
        for path in sorted(root.rglob("*.py")):
            if path.relative_to(root).parts[0] in skip:
                continue
            content = path.read_bytes()
            name = f"{root.name}/{path.relative_to(root).as_posix()}"
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def boundscheck() -> bool:
    """Whether kernels check array indices (slower; an index out of bounds raises IndexError)."""
    return os.environ.get("ANTEMILL_BOUNDSCHECK") == "1"


@cache
def cache_dir() -> Path:
    """The folder for this process's compiled kernels; made, and marked as used, by the first call."""
    top = Path(__file__).resolve().parent.parent
    compilers = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_implementation(), sys.version)
    machine = (platform.system(), platform.machine(), llvmlite.binding.get_host_cpu_name())
    settings = (boundscheck(), _config.BOUNDSCHECK, _config.CPU_NAME, _config.CPU_FEATURES)
    sources = source_digest((top / package for package in SOURCE_PACKAGES), WITHOUT_KERNELS)
    name = blake2b(repr((sources, compilers, machine, settings)).encode(), digest_size=16).hexdigest()
    root = _root()
    folder = root / f"kernels-{name}"
    with _locked(root):
        folder.mkdir(exist_ok=True)
        os.utime(folder)
        prune(root)
    return folder


def prune(root: Path) -> None:
    """Remove the kernel folders below `root` that were not used for `UNUSED_DAYS`; nothing else is touched."""
    oldest = time.time() - UNUSED_DAYS * 86_400
    for folder in root.iterdir():
        if _FOLDER.fullmatch(folder.name) and folder.lstat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def _root() -> Path:
    """The folder named by the environment or usual for the platform if it can be written, else a temporary one."""
    try:
        root = _preferred_root().absolute()
        with _locked(root):
            return root
    except (OSError, RuntimeError):  # RuntimeError: there is no home directory
        return _private_temporary()


def _preferred_root() -> Path:
    if named := os.environ.get("ANTEMILL_CACHE"):
        return Path(named).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/antemill"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "antemill"


def _private_temporary() -> Path:
    """A folder that this user's processes share. Numba unpickles what it finds, so nobody else may write there."""
    folder = Path(tempfile.gettempdir()) / f"antemill-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
        return folder
    return Path(tempfile.mkdtemp(prefix="antemill-"))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Make `folder` and hold its lock file against other processes and threads."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # closing would not do it: a process forked meanwhile holds a copy


class _SharedCache(FunctionCache):
    """Numba's cache, safe for processes that compile the same kernel at the same time.

    Saving reads the index, picks a free file name and writes both. Unlocked, two processes could pick one name for two
    signatures, and a third would run the wrong one. Failing to save costs time only, so it is not an error.
    """

    def save_overload(self, sig: object, data: object) -> None:
        with suppress(OSError), _locked(cache_dir()):
            cast(Any, super()).save_overload(sig, data)


# ------------------------------------------------------------------------------------------------ the decorator


@overload
def kernel(function: Callable[P, R], /) -> Kernel[P, R]: ...
@overload
def kernel(
    *, inline: Inline = ..., allocates: bool = ..., fastmath: bool = ..., error_model: ErrorModel = ...
) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def kernel(
    function: Callable[P, R] | None = None,
    /,
    *,
    inline: Inline = "never",
    allocates: bool = False,
    fastmath: bool = False,
    error_model: ErrorModel = "numpy",
) -> Kernel[P, R] | Callable[[Callable[P, R]], Kernel[P, R]]:
    """Compile a function on its first call, without the global interpreter lock, and keep the result on disk.

    Use it as `@kernel` or as `@kernel(inline="always")`. A kernel that makes arrays says `allocates=True`; all others
    are compiled without numba's reference counting, which costs more than the work of a short loop.
    `error_model="numpy"` divides by zero to an infinity or, for integers, to 0; "python" raises ZeroDivisionError.
    """

    options: dict[str, Any] = {"inline": inline, "fastmath": fastmath, "error_model": error_model, "_nrt": allocates}

    def compiled(python: Callable[P, R]) -> Kernel[P, R]:
        jit: Any = numba.njit(nogil=True, boundscheck=boundscheck(), **options)
        dispatcher: Any = jit(python)
        if not _config.DISABLE_JIT:
            dispatcher._cache = _shared_cache(python)
        return cast(Kernel[P, R], dispatcher)

    return compiled if function is None else compiled(function)


def _shared_cache(python: Callable[..., object]) -> _SharedCache:
    """Numba reads its setting only while a cache object is made, so other packages' kernels keep their folder."""
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(cache_dir())
    try:
        return cast(_SharedCache, cast(Any, _SharedCache)(python))
    finally:
        _config.CACHE_DIR = before
