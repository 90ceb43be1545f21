"""Names, texts and seeds that a program computes, watched while it runs: the static rule can not read them (S3).

A `Guard` is made in the interpreter in which the program is about to run, and only there: it changes functions of the
library. `problem` is the first thing that the program must not ask for, whether the program catches errors or not.
"""

import ast
import builtins
import contextlib
import importlib
import sys
from collections.abc import Callable
from datetime import date
from types import CodeType, ModuleType
from typing import Any

from ..world.patching import replace_in_text
from . import introspection, repr_watch, rewriting
from .address import Address
from .name_lists import DATES, OF_OWN, TEXT, hidden, problem_of_part

# The syntax of a text that the library may execute for a program: annotations, no calls.
_QUIET = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.BitOr, ast.Load)
_EXECUTING = {"annotationlib", "bdb", "code", "codeop", "doctest", "timeit", "typing"}


class Guard:
    """Gives the program functions that check their arguments, and watches formats, executed texts and seeds."""

    def __init__(self, of_text: Callable[[str], str], pinned: bool = False) -> None:
        """of_text: what is wrong with a text that is executed. pinned: objects whose `id` was asked for are kept, so
        that no address is used twice."""
        self._problem = ""
        self._unseeded: dict[int, Any] = {}
        self._of_text = of_text
        self._pinned: list[object] | None = [] if pinned else None
        self._names: dict[str, Any] = {}
        self._texts: dict[tuple[str, str], CodeType] = {}
        self._rewrite: Callable[[ast.AST], ast.AST] = lambda tree: tree

    @property
    def problem(self) -> str:
        """Why the output may differ elsewhere; empty if nothing was found."""
        return self._problem or ("it uses a generator without a seed" if self._unseeded else "")

    def rewriting(self, rewrite: Callable[[ast.AST], ast.AST], names: dict[str, Any]) -> None:
        """Rewrite text that the program executes as the program itself is; `names` is what rewritten code needs."""
        self._rewrite = rewrite
        self._names = names

    def names(self) -> dict[str, Any]:
        """What to put into the program's namespace. Starts to watch the interpreter."""
        self._watch_formats()
        self._watch_texts()
        self._watch_seeds()
        repr_watch.listen(lambda: self._note("it uses an object's address"))
        ours: list[Callable[..., Any]] = [self._ask, self._has, self._vars, self._hash, self._id]
        plain: list[Callable[..., Any]] = [getattr, hasattr, vars, hash, id]
        self._names |= {one.__name__: _like(one, call) for one, call in zip(plain, ours, strict=True)}
        self._names |= {rewriting.ASK: self._ask, rewriting.HASH: lambda thing, /: builtins.hash(thing)}
        self._names |= {"eval": self._executing(eval, "eval"), "exec": self._executing(exec, "exec")}
        return self._names

    def _ask(self, thing: object, name: str, *default: object) -> object:
        self._check(thing, name)
        found = getattr(thing, name, *default)
        if issubclass(type(thing), ModuleType) and issubclass(type(found), ModuleType):
            self._note(f"it uses {thing.__name__}.{name} as a value")  # type: ignore[attr-defined]
        return introspection.result(thing, name, found, self._note, self._check) if name in OF_OWN else found

    def _has(self, thing: object, name: str) -> bool:
        if name not in OF_OWN:
            self._check(thing, name)
        return hasattr(thing, name)

    def _vars(self, *things: object) -> object:
        found = vars(*things)
        self._check(things[0], "__dict__")
        return introspection.result(things[0], "__dict__", found, self._note, self._check)

    def _hash(self, thing: object) -> int:
        code = sys._getframe(2).f_code
        if (code.co_name, code.co_filename) == ("__hash__", "<string>"):  # written by dataclass
            return builtins.hash(thing)
        return introspection.checked_hash(builtins.hash(thing), thing, self._note)

    def _id(self, thing: object) -> object:
        if self._pinned is not None:
            self._pinned.append(thing)
        return Address(id(thing), lambda: self._note("it uses id: addresses differ between runs"))

    def _executing(self, run: Callable[..., Any], mode: str) -> Callable[..., Any]:
        """`eval` and `exec`: the text is checked when it is executed."""

        def call(source: Any, globals: Any = None, locals: Any = None) -> Any:
            around, inside = _caller(3)
            scope = around if globals is None else globals
            inside = (inside if globals is None else scope) if locals is None else locals
            if not isinstance(source, str):
                self._note(f"it has code executed: {TEXT}")
                return run(source, scope, inside)
            if isinstance(scope, dict):
                scope.setdefault("__builtins__", {**vars(builtins), **self._names})
            return run(self._compiled(source.lstrip(" \t") if mode == "eval" else source, mode), scope, inside)

        return _like(run, call)

    def _compiled(self, text: str, mode: str) -> CodeType:
        if (text, mode) not in self._texts:
            self._texts[text, mode] = compile(text, "<string>", mode, dont_inherit=True)  # raises for a wrong text
            self._note(self._of_text(text))
            tree: Any = self._rewrite(rewriting.rewritten(text) or ast.parse(text))
            if mode == "eval":
                tree = ast.Expression(tree.body[0].value)
            self._texts[text, mode] = compile(tree, "<string>", mode, dont_inherit=True)
        return self._texts[text, mode]

    def _note(self, problem: str) -> None:
        self._problem = self._problem or problem

    def _check(self, thing: object, name: object) -> None:
        if isinstance(name, str):
            if name in OF_OWN and thing is not None:
                problem = introspection.objection(thing, name)
            else:
                problem = f"it uses the attribute {name}" if hidden(name) else ""
            kind: Any = type(thing)  # not isinstance, which asks the thing itself for its class
            if issubclass(kind, ModuleType):
                problem = problem or problem_of_part(thing.__name__.partition(".")[0], name)  # type: ignore[attr-defined]
            dates = issubclass(thing if issubclass(kind, type) else kind, date)  # type: ignore[arg-type]
            self._note(problem or (f"it uses {name} of {date.__module__}" if dates and name in DATES else ""))

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
                    with contextlib.suppress(ValueError):  # the method itself raises for a wrong format
                        look(self)
                return method(self, *values, **named)

            call.__name__ = call.__qualname__ = method.__name__
            return call

        module.formatter_field_name_split = parts
        replace_in_text({"format": looking(plain), "format_map": looking(str.format_map)})

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
        import random  # not before `freeze`

        module: Any = random
        kind: Any = random.Random
        made, seeded, restored = kind.__new__, kind.seed, kind.setstate
        shared = module._inst
        self._watch_draws(shared)

        def new(cls: Any, /, *_: Any, **__: Any) -> Any:
            generator = made(cls, 0)
            self._unseed(generator)
            return generator

        def seed(generator: Any, a: Any = None, version: int = 2) -> None:
            seeded(generator, a, version)
            if a is not None:
                self._seeded(generator)
                module.random = shared.random
            elif generator is shared:
                self._note("it uses random.seed without a seed that is known")
            else:
                self._unseed(generator)

        def setstate(generator: Any, state: Any) -> None:
            restored(generator, state)
            self._seeded(generator)

        kind.__new__, kind.seed, kind.setstate = new, seed, setstate
        module.seed, module.setstate, module.random = shared.seed, shared.setstate, shared.random

    def _unseed(self, generator: Any) -> None:
        self._unseeded[id(generator)] = generator
        self._watch_draws(generator)

    def _watch_draws(self, generator: Any) -> None:
        """Watch what is drawn from a generator without a seed."""

        def listening(draw: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:
                self._note("it uses a generator without a seed")
                return draw(*arguments)

            return call

        for name in ("random", "getrandbits"):
            generator.__dict__.pop(name, None)
            generator.__dict__[name] = listening(getattr(generator, name))

    def _seeded(self, generator: Any) -> None:
        self._unseeded.pop(id(generator), None)
        for name in ("random", "getrandbits"):
            generator.__dict__.pop(name, None)


def _like(function: Callable[..., Any], call: Callable[..., Any]) -> Callable[..., Any]:
    """`call` under the name of `function`."""

    def named(*given: Any, **options: Any) -> Any:
        return call(*given, **options)

    named.__name__ = named.__qualname__ = function.__name__
    return named


def _quiet(source: Any) -> bool:
    """Whether a text only names types, and calls nothing."""
    try:
        tree = ast.parse(source, mode="eval") if isinstance(source, str) else source
        inside = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError):
        return True  # it can not be executed either
    fine = all(isinstance(node, (*_QUIET, ast.Expression)) for node in inside)
    return fine and not any(isinstance(node, ast.Attribute) and hidden(node.attr) for node in inside)


def _caller(depth: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The global and local namespaces of the frame `depth` levels up."""
    frame = sys._getframe(depth)
    inside = frame.f_locals
    return frame.f_globals, inside if type(inside) is dict else dict(inside)
