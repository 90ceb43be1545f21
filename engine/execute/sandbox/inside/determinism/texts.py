"""Text that a program executes, or has executed by the library (S3)."""

import ast
import builtins
import sys
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

from ..world import doors
from . import rewriting
from .askers import EXECUTED, PROGRAM, is_ours
from .name_lists import NAMES, TEXT, hidden

# The syntax of a text that the library may execute for a program: annotations, no calls.
_QUIET = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.BitOr, ast.Load)
_EXECUTING = {"annotationlib", "bdb", "code", "codeop", "doctest", "timeit", "typing"}
_WRITING = {"collections", "dataclasses"}  # modules that execute text which they write themselves
_names_in, _exact = vars, str.__str__  # the built-in ones


class Texts:
    """Answers in place of `eval`, `exec`, `compile` and `globals`."""

    def __init__(self, note: Callable[[str], None], stop: Callable[[str], None]) -> None:
        """note: called with what the program must not do. stop: the same, and ends the program."""
        self._note, self._stop = note, stop
        self.of_text: Callable[[str], str] = lambda _: ""  # what is wrong with a text that is executed
        self.rewrite: Callable[[ast.AST], ast.AST] = lambda tree: tree  # as the program itself was rewritten
        self._texts: dict[tuple[str, str], tuple[CodeType, bool]] = {}

    def globals(self, /, *given: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        if frame.f_code.co_filename in PROGRAM:
            self._note(f"it uses globals: {NAMES['globals']}")
        return doors.original("globals")(*given, **named) if given or named else frame.f_globals

    def executing(self, run: Callable[..., Any], mode: str) -> Callable[..., Any]:
        """`eval` and `exec`: the text is checked when it is executed."""

        def call(*given: Any, **named: Any) -> Any:
            frame = sys._getframe(1)
            own = frame.f_code.co_filename in PROGRAM
            source = given[0] if given else None
            written = frame.f_globals.get("__name__") in _WRITING or is_ours(frame.f_code)
            if not given or (not own and (written or type(source) is CodeType)):
                if frame.f_globals.get("__name__") in _EXECUTING and _in_library((*given[1:], *named.values())):
                    self._note("it has names looked up in the library")
                return _run(run, frame, given, named)
            if not own and is_ours(frame.f_code):
                return _run(run, frame, given, named)
            if not own or not issubclass(type(source), str):
                executable = issubclass(type(source), str | bytes | bytearray | memoryview | CodeType)
                self._note(f"it has code executed: {TEXT}" if executable else "")
                return _run(run, frame, given, named)
            text = _exact(source)
            code, changed = self._compiled(text.lstrip(" \t") if mode == "eval" else text, mode)
            scope = given[1] if len(given) > 1 else named.get("globals")
            if scope is None:
                inner = given[2] if len(given) > 2 else named.get("locals")
                inside = frame.f_locals if inner is None else inner
                given = (text, frame.f_globals, inside if inner is not None else _own(frame, inside), *given[3:])
                named = {name: value for name, value in named.items() if name not in ("globals", "locals")}
            elif issubclass(type(scope), dict) and "__builtins__" not in scope:
                scope["__builtins__"] = self._builtins()
            elif changed and issubclass(type(scope), dict) and ".ask" not in _names_of(scope["__builtins__"]):
                self._note(f"it has text executed without built-in functions: {TEXT}")
            return run(code, *given[1:], **named)

        return call

    def _builtins(self) -> dict[str, Any]:
        """The built-in names for a text that is executed, without those that it must not use."""
        return {name: value for name, value in vars(builtins).items() if name not in NAMES or name == "globals"}

    def _compiled(self, text: str, mode: str) -> tuple[CodeType, bool]:
        """A text's code, and whether it asks the guard."""
        if (text, mode) not in self._texts:
            doors.original("compile")(text, "<string>", mode, dont_inherit=True)  # raises for a wrong text
            if problem := self.of_text(text):
                self._stop(problem)
            changed = rewriting.rewritten(text)
            tree: Any = self.rewrite(changed or ast.parse(text))
            if mode == "eval":
                tree = ast.Expression(tree.body[0].value)
            code = doors.original("compile")(tree, EXECUTED, mode, dont_inherit=True)
            self._texts[text, mode] = code, changed is not None
        return self._texts[text, mode]

    def compiling(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """`compile`, which the program must not use, and the library only for texts that call nothing."""

        def answer(*given: Any, **named: Any) -> Any:
            frame = sys._getframe(1)
            flags = given[3] if len(given) > 3 else named.get("flags", 0)
            if frame.f_code.co_filename in PROGRAM:
                self._note(f"it uses compile: {NAMES['compile']}")
            elif frame.f_globals.get("__name__") in _EXECUTING and not flags & ast.PyCF_ONLY_AST:
                quiet = _quiet(given[0] if given else named.get("source"))
                self._note("" if quiet else f"it has text executed: {TEXT}")
            return plain(*given, **named)

        return answer


def _run(run: Callable[..., Any], frame: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Execute as the frame would."""
    if len(given) == 1 and "globals" not in named:
        given = (*given, frame.f_globals, frame.f_locals)
    return run(*given, **named)


def _in_library(scopes: tuple[Any, ...]) -> bool:
    """Whether one of these namespaces is that of a module of the library's."""
    named = [(scope, scope.get("__name__")) for scope in scopes if type(scope) is dict]
    modules = [(scope, sys.modules.get(name)) for scope, name in named if type(name) is str and name != "__main__"]
    return any(module is not None and scope is _names_in(module) for scope, module in modules)


def _own(frame: Any, inside: Any) -> Any:
    """The local names of a frame."""
    return inside if type(inside) is dict else dict(inside)


def _names_of(scope: Any) -> Any:
    return scope if type(scope) is dict else vars(scope) if type(scope) is ModuleType else ()


def _quiet(source: Any) -> bool:
    """Whether a text only names types, and calls nothing."""
    try:
        tree = ast.parse(source, mode="eval") if isinstance(source, str) else source
        inside = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError):
        return True  # it can not be executed either
    fine = all(isinstance(node, (*_QUIET, ast.Expression)) for node in inside)
    return fine and not any(isinstance(node, ast.Attribute) and hidden(node.attr) for node in inside)
