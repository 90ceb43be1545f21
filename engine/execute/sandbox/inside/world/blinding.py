"""What shows other code's objects is taken away, once, when everything has been imported.

Gone are the functions that watch other code run (tracing, profiling, monitoring), those that list objects which were
never handed over (the garbage collector's), and those that could make the modules of these functions a second time.
"""

import contextlib
import gc
import importlib
import sys
import weakref
from collections.abc import Collection
from typing import Any

_REVEALING = {
    "gc": ("get_objects", "get_referents", "get_referrers"),
    "sys": (
        *("settrace", "setprofile", "monitoring", "call_tracing", "_settraceallthreads", "_setprofileallthreads"),
        *("_current_frames", "_current_exceptions", "remote_exec", "getobjects", "addaudithook"),
    ),
}
_NODE = 0x010203040506  # this machine's number in uuid1
_LOADING = ("create_builtin", "create_dynamic")  # in _imp: they make a module a second time
# These read clocks of their own, or this machine's name. They are gone on both backends, with what needs them.
ABSENT = ("_lsprof", "_uuid", "resource")


def blind(hidden: Collection[str] = ()) -> None:
    """Take these functions away, for good.

    The modules `hidden` stay loaded, because they are needed; their classes disappear from `__subclasses__`. Built-in
    modules can not be imported afterwards, so all of them are imported here first.
    """
    import _imp

    for name in sys.builtin_module_names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for name in ABSENT:
        sys.modules[name] = None  # type: ignore[assignment]
    if (uuid := sys.modules.get("uuid")) is not None:
        uuid.__dict__.update(_node=_NODE, _generate_time_safe=None, _UuidCreate=None)
    known = gc.get_objects()  # with the copies of module dictionaries from which Python makes a module again
    dictionaries = [found for found in known if type(found) is dict]
    _hide_classes(dictionaries, (*hidden, *ABSENT))
    gone = {id(getattr(sys.modules[m], name, None)) for m, names in _REVEALING.items() for name in names} - {id(None)}
    for found in dictionaries:
        for key in [key for key, value in found.items() if id(value) in gone and isinstance(key, str)]:
            del found[key]
    for name in _LOADING:
        setattr(_imp, name, _refuse_loading)
    sys.modules.pop("sys.monitoring", None)


def _refuse_loading(spec: Any, file: Any = None) -> Any:
    raise ImportError(f"no module named {spec.name!r} here", name=spec.name)


def _hide_classes(dictionaries: list[dict[Any, Any]], modules: Collection[str]) -> None:
    """Remove classes from their bases: a class keeps its subclasses in a dictionary, from address to weak reference."""
    classes, found = [object], {object}
    while classes:
        new = set(type.__subclasses__(classes.pop())) - found
        found |= new
        classes += new
    hidden = {id(kind) for kind in found if type.__dict__["__module__"].__get__(kind) in modules}
    for dictionary in dictionaries:
        for address in [key for key in hidden if isinstance(dictionary.get(key), weakref.ref)]:
            del dictionary[address]
