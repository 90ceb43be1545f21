"""The cache of kernels' machine code, so that it is compiled once and stale code never runs.

Numba's on-disk cache checks only the decorated function's own file. If a helper, an opcode table or a constant changes
in another file, numba silently keeps the old machine code. In this cache the kernels of a module are in a folder that
is named after a digest of this module and all our modules that it imports (`antemill.engine.digests`). The digest
covers the code of all functions that a kernel calls, inlined or not, and all constants that it uses. This folder is
inside one for the versions of the compilers, for the form in which kernels are kept (`antemill.engine.kernel_links`)
and for the processor. A change recompiles only the kernels that it reaches. Folders that were not used for a month are
removed.

Some kernels are compiled in every process, because such a digest does not cover them: a kernel that takes a kernel as
an argument (for that argument) or from a closure, a kernel outside of `SOURCE_PACKAGES`, a kernel of a module whose
source was edited after this process began, and kernels that call each other in a circle.

Environment: `ANTEMILL_CACHE` names the root of the cache. A private folder for temporary files is used in its place if
every user can write to it, if its owner is neither this user nor root, or if it cannot be written and has no kernels
for this machine.
"""

import dis
import fcntl
import gc
import importlib
import inspect
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property, partial
from hashlib import blake2b
from pathlib import Path
from types import CodeType
from typing import Any, BinaryIO, cast
from weakref import WeakKeyDictionary

import llvmlite.binding
import msgspec
import numba
import numpy as np
from numba.core import config as numba_config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.np import linalg

from antemill.engine.cache_root import compiling, hold, locked, preferred_root, trusted
from antemill.engine.digests import Known, Meaning, Sources, modules_below, shared, source_of
from antemill.engine.kernel_forms import calls_in_a_circle, core_of
from antemill.engine.kernel_links import Linked, load_calls, loaded, offer, reduced

NUMBA_TESTED = (0, 68)  # the newest series whose private names all tests have been run with, as pyproject.toml has it
SOURCE_PACKAGES = ("engine", "axes", "solver")
UNUSED_DAYS = 30

_config = cast(Any, numba_config)  # numba adds names to this module at run time
_FOLDER = re.compile(r"kernels-[0-9a-f]{32}")
_MODULE_FOLDER = re.compile(r"[\w.]+-[0-9a-f]{16}")
_refreshed: WeakKeyDictionary[object, int] = WeakKeyDictionary()  # by numba's contexts: the number of modules then
_MEANINGS = "meanings.json"  # of sources that were read before: parsing them takes as long as importing numba
_MOST_MEANINGS = 2000
_ENTRY = "entry"  # follows the types in the key of an entry, which Python calls
_SAID = "ANTEMILL_NUMBA_SAID"  # the version of numba of which a process has warned, for the processes that it starts


def _without_linear_algebra() -> None:
    """Import numba's functions of arrays without scipy's linear algebra, which takes a sixth of a second.

    They import it only to check that it exists. A kernel that needs it imports it when it is compiled or called.
    """
    library: Any = linalg
    look, library.ensure_blas = library.ensure_blas, lambda: None
    try:
        functions: Any = importlib.import_module("numba.np.arraymath")
    finally:
        library.ensure_blas = look
    functions.ensure_blas = look


_without_linear_algebra()


class UntestedNumbaWarning(UserWarning):
    """The installed numba is newer than every version with which the tests were run."""


def warn_of_untested(version: str) -> None:
    """Warn once, in this process and those that it starts, if numba's version is newer than `NUMBA_TESTED`.

    `antemill.engine.kernel` and `antemill.engine.kernel_links` extend private classes of numba, which may change.
    """
    found = tuple(map(int, re.findall(r"\d+", version)[:2]))
    if found <= NUMBA_TESTED or os.environ.get(_SAID) == version:
        return
    os.environ[_SAID] = version
    major, minor = NUMBA_TESTED
    warnings.warn(
        f"numba {version} is newer than {major}.{minor}, the newest that antemill is tested with: if anything fails, "
        f'install an older one with `pip install "numba<{major}.{minor + 1}"`.',
        UntestedNumbaWarning,
        stacklevel=2,
    )


warn_of_untested(numba.__version__)


def cache_of(function: Callable[..., object]) -> FunctionCache | None:
    """The cache object that numba uses for a kernel's function; None if its machine code cannot be kept."""
    if function.__closure__ is None and _is_ours(function.__module__):
        return cast(FunctionCache, cast(Any, _SharedCache)(function))
    return None


@cache
def _is_ours(module: str) -> bool:
    package, _, name = module.partition(".")
    sources()
    return package == "antemill" and name.partition(".")[0] in SOURCE_PACKAGES and source_of(name) is not None


@cache
def _is_as_found(module: str) -> bool:
    """Whether a module's digest describes what this process compiles from it."""
    with suppress(ModuleNotFoundError):  # its source, or that of a module that it imports, was removed meanwhile
        return not sources().changed([module])
    return False


# ------------------------------------------------------------------------------------------------ folders


def boundscheck() -> bool:
    """Whether kernels check array indices: they are then slower, and an index out of bounds raises IndexError."""
    return os.environ.get("ANTEMILL_BOUNDSCHECK") == "1"


@cache
def cache_dir() -> Path:
    """The folder for kernels that this process can use; made, and marked as used, by the first call."""
    compilers = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_implementation(), sys.version)
    machine = (platform.system(), platform.machine(), llvmlite.binding.get_host_cpu_name())
    settings = (boundscheck(), _config.BOUNDSCHECK, _config.CPU_NAME, _config.CPU_FEATURES)
    form = [Path(inspect.getfile(function)).read_bytes() for function in (offer, core_of)]  # in no module's digest
    name = blake2b(repr((compilers, machine, settings, form)).encode(), digest_size=16).hexdigest()
    root = _root(f"kernels-{name}")
    folder = root / f"kernels-{name}"
    with suppress(OSError), locked(root):  # an error: the cache can only be read
        prune(root, folder)
        _use(folder)
    return folder


@cache
def module_dir(*modules: str) -> Path:
    """The folder for files made from these modules as this process found them; made, and marked as used."""
    folder = cache_dir() / f"{modules[0]}-{sources().digest(modules)}"
    with suppress(OSError), locked(cache_dir().parent):
        _use(folder)
    return folder


def kept_kernels() -> int:
    """The number of kernels in the cache that were made from the present sources."""
    modules = [module for package in SOURCE_PACKAGES for module in modules_below(package)]
    names = (f"antemill.{module}-{sources().digest([module])}" for module in modules)
    return sum(1 for name in names for _ in cache_dir().joinpath(name).glob("*.nbi"))


def prune(root: Path, using: Path | None = None) -> None:
    """Remove the folders of kernels below `root` that were not used for `UNUSED_DAYS`.

    No other files are touched, and the folder `using` stays. Inside of a folder, the folders of modules are removed
    that were not used for `UNUSED_DAYS` before the last use of the folder.
    """
    unused = UNUSED_DAYS * 86_400
    for folder in [path for path in root.iterdir() if _FOLDER.fullmatch(path.name)]:
        last = folder.lstat().st_mtime
        if last < time.time() - unused and folder != using:
            shutil.rmtree(folder, ignore_errors=True)
            continue
        inside = [path for path in folder.iterdir() if _MODULE_FOLDER.fullmatch(path.name)]
        for path in [path for path in inside if path.lstat().st_mtime < last - unused]:
            shutil.rmtree(path, ignore_errors=True)


def _use(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    os.utime(folder)


def _root(kernels: str) -> Path:
    """The folder named by the environment or usual for the platform if it can be used, else a temporary one.

    A read-only folder is used if it has these kernels, as in an image or on a cluster's shared disk.
    """
    with suppress(OSError, RuntimeError):  # RuntimeError: there is no home directory
        root = preferred_root()
        if (root / kernels).is_dir() and trusted(root):
            return root
        root.mkdir(parents=True, exist_ok=True)
        if trusted(root):
            with locked(root):
                return root
    return _private_temporary()


def _private_temporary() -> Path:
    """A folder that this user's processes share. Numba unpickles its files, so no other user may write to it."""
    folder = Path(tempfile.gettempdir()) / f"antemill-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
        return folder
    return Path(tempfile.mkdtemp(prefix="antemill-"))


# ------------------------------------------------------------------------------------------------ sources


@cache
def sources() -> Sources:
    """The sources of all kernels, as they were when this process made the first kernel.

    They are read for the first digest. A command on a machine without kernels needs no digest.
    """
    sources = shared()
    modules = [module for package in SOURCE_PACKAGES for module in modules_below(package)]
    sources.stamp(modules)
    sources.first = partial(_read, sources, modules)
    return sources


def _read(sources: Sources, modules: Sequence[str]) -> None:
    sources.known.update(_known_meanings())
    before = len(sources.known)
    with _no_collections():
        sources.reached(modules)
    if len(sources.known) > before:
        _keep_meanings(sources.known)


@contextmanager
def _no_collections() -> Iterator[None]:
    """Turn garbage collection off in this block: syntax trees are many objects, none of them garbage."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _known_meanings() -> dict[str, Meaning]:
    try:
        return msgspec.json.decode((cache_dir().parent / _MEANINGS).read_bytes(), type=dict[str, Meaning])
    except (OSError, msgspec.MsgspecError):
        return {}


def _keep_meanings(known: Known) -> None:
    """Write the newest meanings for the next process. A failure costs only time."""
    path = cache_dir().parent / _MEANINGS
    new = path.with_suffix(".new")
    with suppress(OSError), locked(path.parent):
        new.write_bytes(msgspec.json.encode(dict(list(known.items())[-_MOST_MEANINGS:])))
        os.replace(new, path)


# ------------------------------------------------------------------------------------------------ numba's hooks


class _Folder:
    """Tells numba the place of a kernel. The folder's name identifies the sources, so files need no stamp."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._py_file = inspect.getfile(function)  # numba's warnings name it
        self._module = function.__module__

    @cached_property
    def _folder(self) -> Path:
        return module_dir(self._module)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return "kernel"


class _Impl(CompileResultCacheImpl):
    """Numba's way to write machine code, with our folders and with file names that have no line numbers."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Folder(function)
        self._filename_base = cast(Any, self).get_filename_base(function.__qualname__, sys.abiflags)

    def reduce(self, compiled: object) -> Linked:
        return reduced(compiled, cast(Any, super()).reduce(compiled))

    def rebuild(self, target_context: Any, kept: Linked) -> object:
        if not load_calls(kept, target_context.codegen()._engine):
            return None
        if kept.is_entry:
            return cast(Any, super()).rebuild(target_context, kept.data)
        return core_of(target_context, kept.data)


class _Files(IndexDataCacheFile):
    """Numba's files of a kernel. Damaged files, which a full disk or a loss of power can leave, count as missing."""

    def _load_index(self) -> dict[object, str]:
        try:
            return cast(dict[object, str], cast(Any, super())._load_index())
        except OSError:
            raise
        except Exception:  # damaged pickles may raise anything
            return {}

    def _load_data(self, name: str) -> object:
        try:
            return cast(Any, super())._load_data(name)
        except Exception as error:
            raise FileNotFoundError(f"the kernel in {name} is damaged") from error  # numba then compiles it again


class _SharedCache(FunctionCache):
    """Numba's cache, safe for processes that compile the same kernel at the same time.

    A process that does not find a kernel compiles it, and holds a lock meanwhile. Processes that compile other kernels
    wait for this one when they need it. They never wait in a circle: a process holds a kernel only while it compiles
    that kernel or one that calls it, and no two kernels call each other. A kernel is compiled twice if the process that
    compiles it is stopped or has lower priority (`antemill.engine.cache_root.hold`).

    Saving reads the index, picks a free file name and writes both. Without a lock, two processes could pick one name
    for two signatures, and a third would run the wrong one. A failure to save costs only time, so it is not an error.
    """

    _impl_class = _Impl
    _held: BinaryIO | None = None

    def __init__(self, function: Callable[..., object]) -> None:
        self._name, self._py_func, self._impl = repr(function), function, _Impl(function)

    @cached_property
    def _enabled(self) -> bool:  # type: ignore[override]
        return _is_as_found(self._py_func.__module__)

    @cached_property
    def _cache_path(self) -> str:
        return cast(str, cast(Any, self._impl).locator.get_cache_path())

    @cached_property
    def _cache_file(self) -> Any:  # type: ignore[override]
        return cast(Any, _Files)(self._cache_path, self._impl.filename_base, "")

    def kept(self, sig: tuple[object, ...], target_context: object) -> bool:
        """Whether the index names machine code that Python can call with arguments of these types."""
        if not _has_folders(self._py_func.__module__):
            return False
        key = self._index_key((*sig, _ENTRY), cast(Any, target_context).codegen())
        with suppress(OSError):
            return self._enabled and key in self._cache_file._load_index()
        return False

    def load_overload(self, sig: tuple[object, ...], target_context: object) -> object:
        if (found := self._load_or_hold(sig, target_context)) is not None:
            loaded(cast(Any, self)._py_func, sig, found)
        return found

    def _load_or_hold(self, sig: object, target_context: object) -> object:
        load = self._load
        if (found := load(sig, target_context)) is not None or _takes_kernel(sig) or self._held or not self._enabled:
            return found
        compiling()
        with suppress(OSError):
            # The name alone does not suffice: a module may define it twice, and one definition may call the other.
            body = self._index_key(sig, cast(Any, target_context).codegen())[-1]
            folder = Path(self.cache_path)
            folder.mkdir(parents=True, exist_ok=True)
            self._held = hold(folder / f"{cast(Any, self)._impl.filename_base}.{body}.lock")
        return load(sig, target_context)

    def load_entry(self, sig: tuple[object, ...], target_context: object) -> object:
        """The entry for calls from Python with arguments of these types; None if it is not kept."""
        return self._load((*sig, _ENTRY), target_context)

    def _load(self, sig: object, target_context: object) -> object:
        """As numba's `load_overload`, but it looks for new functions that kernels can call only after an import."""
        ours = cast(Any, self)
        if _refreshed.get(target_context) != len(sys.modules):
            cast(Any, target_context).refresh()
            _refreshed[target_context] = len(sys.modules)
        with ours._guard_against_spurious_io_errors():
            return cast(object, ours._load_overload(sig, target_context))
        return None

    def save_entry(self, sig: tuple[object, ...], entry: object) -> None:
        """Keep the entry for calls from Python with arguments of these types."""
        self._save((*sig, _ENTRY), entry)

    def release(self) -> None:
        """Allow other processes to compile or load this kernel."""
        held, self._held = self._held, None
        if held is not None:
            with held, suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_UN)  # closing does not unlock: a forked process may hold a copy

    def save_overload(self, sig: tuple[object, ...], data: object) -> None:
        if not self._enabled or _takes_kernel(sig) or calls_in_a_circle(data):
            return
        offer(cast(Any, self)._py_func, sig, data)
        self._save(sig, data)

    def _save(self, sig: tuple[object, ...], data: object) -> None:
        if not _takes_kernel(sig):
            with suppress(OSError), locked(cache_dir()):
                cast(Any, super()).save_overload(sig, data)

    def _index_key(self, sig: object, codegen: Any) -> tuple[object, ...]:
        """The key includes the function's code, because a module may define a name in two ways."""
        return sig, codegen.magic_tuple(), self._body

    @cached_property
    def _body(self) -> str:
        code = cast(Any, self)._py_func.__code__
        return blake2b(repr(_instructions(code)).encode(), digest_size=16).hexdigest()


def _has_folders(module: str) -> bool:
    """Whether the cache has kernels of this module from any sources; if not, it has none from the present ones."""
    with suppress(OSError), os.scandir(cache_dir()) as entries:
        return any(entry.name.startswith(f"{module}-") for entry in entries)
    return False


def release(cache: object) -> None:
    """Release the lock of a compiled kernel, if it is stored."""
    if isinstance(cache, _SharedCache):
        cache.release()


def _takes_kernel(sig: object) -> bool:
    """Whether a kernel is among the arguments; its code would be compiled into the caller's."""
    return "Dispatcher(" in str(sig)


def _instructions(code: CodeType) -> list[object]:
    """The code of a function, without line numbers and docstrings."""
    values = ((each.opname, each.argval) for each in dis.get_instructions(code))
    return [(name, _instructions(value) if isinstance(value, CodeType) else repr(value)) for name, value in values]
