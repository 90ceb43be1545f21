"""The end of a program: what Python does when it shuts down, as far as it can print (S3).

Python calls the functions of `atexit`, flushes the streams, collects garbage, gives the streams back, and releases
`__main__`: its names in their order if nothing else holds its namespace, otherwise by the garbage collector. So
suspended generators, entered context managers, files and objects with `__del__` end. The same steps are taken here, in
the same order. What a library holds in a cache (`typing`) would end with the library, which is needed here.
"""

import atexit
import builtins
import gc
import re
import sys
import weakref
from collections.abc import Callable
from typing import Any

_SPECIAL = ("path", "argv", "orig_argv", "ps1", "ps2", "path_hooks", "path_importer_cache", "meta_path")


# A program without these words does nothing when its objects are released: it has no generator, no coroutine, no file
# and no `__del__`, and can not give one to a class by a name that is computed.
_ACTS = re.compile(
    r"yield|await|async|del__|close|write|flush|attr|exec|eval|type\s*\(|locals|vars|meta|__prepare__|make_dataclass|"
    r"new_class|atexit|weakref"
)


def acts(program: str) -> bool:
    """Whether a program may do something when its objects are released."""
    return not program.isascii() or _ACTS.search(program) is not None


class Loader:
    """What `__main__` was loaded by, in its place. It lives as long as the namespace that holds it."""


def age(elsewhere: bool) -> None:
    """Put `__main__` into a generation of the garbage collector, before the program runs.

    Where Python has imported much when it starts, `__main__` is in the oldest one, otherwise in the next or in the
    youngest. In which order objects are released can depend on that, so a program's two runs differ in it.

    If the collector meets the namespace first, objects end in the order in which they were made; otherwise in the order
    of the names, and those in lists from the last. From Python 3.13 on, a new namespace lies before its module, which
    is met later than the objects. A collection puts it behind the module if nothing else holds it: so on the second
    machine the caller must not hold it, and on the first one it is held here.
    """
    held = None if elsewhere else sys.modules["__main__"].__dict__
    gc.collect(2 if elsewhere else 0)
    del held
    _collections.append(_count())


_collections: list[int] = []  # how many there had been when the program began


def _count() -> int:
    return sum(one["collections"] for one in gc.get_stats())


def end(namespace: "weakref.ref[Loader]", size: Callable[[], int], acts: bool) -> tuple[int, bool]:
    """Shut down, after the program: no frame may hold its namespace. Nothing can be imported afterwards.

    acts: whether the program may do something when its objects are released; otherwise they are left.

    Returns the `size` of what was printed before anything was released; and whether what was printed afterwards is
    certain: the namespace is released, so everything has ended that would end elsewhere, and the garbage collector
    has not arranged the objects in between.
    """
    if acts:
        atexit._run_exitfuncs()
    _flush()
    before = size()
    if not acts:
        return before, True
    arranged = _count() != _collections.pop()
    if gc.isenabled():
        gc.collect()
    system: Any = sys
    for name in _SPECIAL:
        setattr(system, name, None)
    for name in ("stdin", "stdout", "stderr"):
        setattr(system, name, getattr(system, f"__{name}__"))
    modules = sys.modules
    modules["__main__"] = None  # type: ignore[assignment]
    if namespace() is not None:
        typing: Any = modules.get("typing")
        changed: Any = builtins
        changed.__import__ = _import
        gc.collect()
        if namespace() is not None and typing is not None:
            for clear in typing._cleanups:
                clear()
            gc.collect()
    _flush()
    return before, namespace() is None and not (arranged and size() > before)


def _import(*_: object, **__: object) -> Any:
    raise ImportError("sys.meta_path is None, Python is likely shutting down")


def _flush() -> None:
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name, None)
        try:
            if stream is not None and not _is_closed(stream):
                stream.flush()
        except BaseException:
            continue  # Python says so on stderr


def _is_closed(stream: Any) -> bool:
    try:
        return bool(stream.closed)
    except BaseException:
        return False
