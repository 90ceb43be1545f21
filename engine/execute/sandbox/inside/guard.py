"""What a program must not ask for, seen when it asks: the static rule can not read what is computed (S3).

A `Guard` is made in the interpreter where the program is about to run, and only there: it changes what the library's
own functions do, so that names, texts and seeds that are put together are noticed. `problem` is the first of them,
caught by the program or not.
"""

import ast
import builtins
import contextlib
import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import world
from .listed import ADDRESS, hidden, of_part

# What a text that the library executes for a program may be made of: annotations, no calls.
_QUIET = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.BitOr, ast.Load)
_EXECUTING = {"annotationlib", "bdb", "code", "codeop", "doctest", "timeit", "typing"}


class Guard:
    """Gives the program its getattr, hasattr, repr and ascii, and listens to formats, compiled texts and seeds."""

    def __init__(self) -> None:
        self._problem = ""
        self._unseeded: dict[int, Any] = {}

    @property
    def problem(self) -> str:
        """Why the output may differ elsewhere; empty if nothing was asked for."""
        return self._problem or ("it uses a generator without a seed" if self._unseeded else "")

    def names(self) -> dict[str, Any]:
        """What to put into the program's namespace. From here on the interpreter is watched."""
        self._watch_formats()
        self._watch_texts()
        self._watch_seeds()

        def ask(thing: object, name: str, *default: object) -> object:
            self._check(thing, name)
            found = getattr(thing, name, *default)
            if isinstance(thing, ModuleType) and isinstance(found, ModuleType):
                self._note(f"it uses {thing.__name__}.{name} as a value")
            return found

        def has(thing: object, name: str) -> bool:
            self._check(thing, name)
            return hasattr(thing, name)

        return {"getattr": ask, "hasattr": has, "repr": self._showing(repr), "ascii": self._showing(ascii)}

    def _showing(self, show: Callable[[object], str]) -> Callable[[object], str]:
        """`repr`, which tells when it shows an address: whatever is made of that is no address in the output."""

        def call(thing: object, /) -> str:
            text = show(thing)
            if " at 0x" in text and ADDRESS.search(text):
                self._note("it uses an object's address")
            return text

        call.__name__ = call.__qualname__ = show.__name__
        return call

    def _note(self, problem: str) -> None:
        self._problem = self._problem or problem

    def _check(self, thing: object, name: object) -> None:
        if isinstance(name, str):
            problem = f"it uses the attribute {name}" if hidden(name) else ""
            if isinstance(thing, ModuleType):
                problem = problem or of_part(thing.__name__.partition(".")[0], name)
            self._note(problem)

    def _watch_formats(self) -> None:
        module: Any = importlib.import_module("_string")
        parse, split, plain = module.formatter_parser, module.formatter_field_name_split, str.format

        def parts(field: str) -> Any:
            first, rest = split(field)
            found = list(rest)
            for is_attribute, name in found:
                if is_attribute:
                    self._check(None, name)
            return first, iter(found)

        def look(text: str) -> None:
            for _, field, spec, _ in parse(text):
                if field:
                    parts(field)
                if spec:
                    look(spec)

        def looking(method: Callable[..., str]) -> Callable[..., str]:
            def call(self: str, /, *values: Any, **named: Any) -> str:
                if "." in self:
                    with contextlib.suppress(ValueError):  # the method says what is wrong
                        look(self)
                return method(self, *values, **named)

            call.__name__ = call.__qualname__ = method.__name__
            return call

        module.formatter_field_name_split = parts
        world.replace_in_text({"format": looking(plain), "format_map": looking(str.format_map)})

    def _watch_texts(self) -> None:
        plain: Any = compile

        def compiled(source: Any, filename: Any, mode: str, flags: int = 0, *rest: Any, **named: Any) -> Any:
            caller = sys._getframe(1).f_globals.get("__name__")
            if caller in _EXECUTING and not flags & ast.PyCF_ONLY_AST and not _quiet(source):
                self._note("it has text executed: what would be executed can not be told beforehand")
            return plain(source, filename, mode, flags, *rest, **named)

        patched: Any = builtins
        patched.compile = compiled

    def _watch_seeds(self) -> None:
        import random  # only when the world is frozen

        module: Any = random
        kind: Any = random.Random
        made, seeded, restored = kind.__new__, kind.seed, kind.setstate
        shared = module._inst

        def new(cls: Any, /, *_: Any, **__: Any) -> Any:
            generator = made(cls, 0)
            self._unseed(generator)
            return generator

        def seed(generator: Any, a: Any = None, version: int = 2) -> None:
            seeded(generator, a, version)
            if a is not None:
                self._seeded(generator)
            elif generator is shared:
                self._note("it uses random.seed without a seed that is known")
            else:
                self._unseed(generator)

        def setstate(generator: Any, state: Any) -> None:
            restored(generator, state)
            self._seeded(generator)

        kind.__new__, kind.seed, kind.setstate = new, seed, setstate
        module.seed, module.setstate = shared.seed, shared.setstate

    def _unseed(self, generator: Any) -> None:
        """Listen to what is drawn from a generator that has no seed yet."""
        self._unseeded[id(generator)] = generator

        def listening(draw: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:
                self._note("it uses a generator without a seed")
                return draw(*arguments)

            return call

        for name in ("random", "getrandbits"):
            generator.__dict__.pop(name, None)
            generator.__dict__[name] = listening(getattr(generator, name))

    def _seeded(self, generator: Any) -> None:
        if self._unseeded.pop(id(generator), None) is not None:
            for name in ("random", "getrandbits"):
                generator.__dict__.pop(name, None)


def _quiet(source: Any) -> bool:
    """Whether a text only names types."""
    try:
        tree = ast.parse(source, mode="eval") if isinstance(source, str) else source
        inside = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError):
        return True  # it is not going to be executed either
    fine = all(isinstance(node, (*_QUIET, ast.Expression)) for node in inside)
    return fine and not any(isinstance(node, ast.Attribute) and hidden(node.attr) for node in inside)
