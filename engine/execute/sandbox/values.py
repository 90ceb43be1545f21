"""A solution's text and its value (T6): one expression, whose value is plain data.

Plain are numbers, strings, bytes, tuples, lists, dictionaries, sets, booleans and None, nested in any way. A value
travels between two interpreters as bytes. They come from a process in which judged code ran, so `decode` does not trust
them: it makes instances of these types and calls nothing else. A solution that forges bytes has forged a value, which
it may choose anyway. Shared parts stay shared. Standard library only, since the server imports it too.
"""

import ast
import builtins
import dis
import io
import pickle
from types import CodeType
from typing import Any

REFUSED = (
    "a solution is plain data (numbers, strings, bytes, tuples, lists, dictionaries, sets, True, False, None), "
    "and its value contains"
)
_STARS = {(dis.opmap.get("IMPORT_STAR"), 0), (dis.opmap.get("CALL_INTRINSIC_1"), 2)}  # until Python 3.11, and from 3.12


class NotPlainError(Exception):
    """The value is not plain data."""


class _Encoder(pickle.Pickler):
    def persistent_id(self, obj: Any) -> tuple[float, float] | None:
        """Called for every part of the value. A complex number would travel as a call, and a bytearray as itself."""
        if type(obj) is bytearray:
            raise NotPlainError(f"{REFUSED} an object of the type bytearray")
        return (obj.real, obj.imag) if type(obj) is complex else None

    def reducer_override(self, obj: Any) -> Any:
        """Called for all but None, bool, int, float, str, bytes, bytearray, tuple, list, dict, set and frozenset."""
        raise NotPlainError(f"{REFUSED} an object of the type {type.__dict__['__name__'].__get__(type(obj))}")


class _Decoder(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> complex:
        real, imaginary = pid
        if type(real) is float and type(imaginary) is float:
            return complex(real, imaginary)
        raise NotPlainError(f"{REFUSED} a number of something else")

    def find_class(self, module: str, name: str) -> Any:
        raise NotPlainError(f"{REFUSED} {module}.{name}")


def encode(value: object) -> bytes:
    """Plain data as bytes, with shared parts and cycles. Raises NotPlainError for anything else."""
    buffer = io.BytesIO()
    try:
        _Encoder(buffer, protocol=5).dump(value)
    except RecursionError:
        raise NotPlainError("the solution's value is nested too deeply") from None
    return buffer.getvalue()


def decode(data: bytes) -> Any:
    """The value. Raises an exception of any type if the bytes are not what `encode` makes."""
    value = _Decoder(io.BytesIO(data)).load()
    encode(value)  # forged bytes may hold a view of a bytearray
    return value


def parse(text: str) -> ast.Expression:
    """The expression. Raises SyntaxError, ValueError, MemoryError or RecursionError if the text is not exactly one."""
    return ast.parse(text.strip(), "<solution>", "eval")


def literal(tree: ast.Expression) -> tuple[Any, ...]:
    """A tuple with the value of a literal, which takes no code of the solver to find; else the empty tuple."""
    try:
        value = ast.literal_eval(tree)
        encode(value)
    except (ValueError, NotPlainError):
        return ()
    return (value,)


def names_of(code: CodeType) -> set[str]:
    """The names that a module binds; with "*" if there are others."""
    found, more = set(), 0
    for operation, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument |= more << 8
        more = argument if operation == dis.EXTENDED_ARG else 0
        if operation == dis.opmap["STORE_NAME"]:
            found.add(code.co_names[argument])
    return found | ({"*"} if _STARS & {*zip(code.co_code[::2], code.co_code[1::2], strict=True)} else set())


def needs_puzzle(tree: ast.Expression, names: set[str]) -> bool:
    """Whether the expression uses one of `names`, those of the puzzle's module, or a name of unknown origin."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    used = {node.id for node in nodes if isinstance(node.ctx, ast.Load)}
    return bool(used & names or (used and "*" in names)) or not all(hasattr(builtins, name) for name in used - bound)
