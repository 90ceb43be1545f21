"""`pickle` for a program: copies of plain data and of objects of its own (S3).

A pickle may name anything in any module, and the library finds it. Here only the program's own classes and functions
are found, and classes that hold data. Without a protocol the first machine writes with another one than the second, as
two versions of Python do: output that shows the bytes differs.
"""

import functools
import importlib
import io
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .introspection import is_own

_PROTOCOLS = (4, 5)  # the defaults of Python 3.8 and 3.14
_KNOWN = {
    "builtins": """bool bytearray bytes complex dict float frozenset int list object range set slice str tuple
        ArithmeticError AssertionError AttributeError BaseException Exception IndexError KeyError LookupError NameError
        NotImplementedError OverflowError RecursionError RuntimeError StopIteration SyntaxError TypeError
        UnicodeDecodeError UnicodeEncodeError ValueError ZeroDivisionError""",
    "_codecs": "encode",
    "collections": "ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque",
    "copyreg": "__newobj__ __newobj_ex__ _reconstructor",
    "datetime": "date datetime time timedelta timezone",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "functools": "partial",
    "types": "SimpleNamespace",
}
_FOUND = {(module, name) for module, names in _KNOWN.items() for name in names.split()}


def watch(note: Callable[[str], None], second: bool) -> None:
    """Change `pickle.loads` and `pickle.dumps` of this interpreter for good. Call it before a program is watched."""
    module: Any = importlib.import_module("pickle")
    dumps, exact = module.dumps, str.__str__

    class Unpickler(module.Unpickler):  # type: ignore[misc]
        def find_class(self, owner: str, name: str) -> Any:
            found = super().find_class(owner, name)
            if (owner, name) not in _FOUND and not _is_own(found):
                note(f"it unpickles {exact(owner)}.{exact(name)}")
            return found

    @functools.wraps(dumps)
    def dump(obj: Any, protocol: Any = None, **named: Any) -> bytes:
        return dumps(obj, _PROTOCOLS[second] if protocol is None else protocol, **named)  # type: ignore[no-any-return]

    @functools.wraps(module.loads)
    def load(data: Any, /, **named: Any) -> Any:
        return Unpickler(io.BytesIO(data), **named).load()

    for function in (dump, load):
        del function.__wrapped__
    module.loads, module.dumps = load, dump


def _is_own(found: Any) -> bool:
    """Whether it is a class or a function of the program's."""
    return is_own(found) or (type(found) is FunctionType and found.__globals__.get("__name__") == "__main__")
