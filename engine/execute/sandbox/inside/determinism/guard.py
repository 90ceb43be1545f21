"""Names, texts and seeds that a program computes, watched while it runs: the static rule can not read them (S3).

A `Guard` is made once, before the process is forked or the guest snapshotted, because a fork pays for each page of
memory that it changes. `watch` then opens the doors (see `world.doors`) in the one interpreter in which a program is
about to run. `problem` is the first thing that the program must not ask for, whether the program catches errors or not.
"""

import ast
import builtins
import importlib
import sys
from collections.abc import Callable
from datetime import date, datetime, timezone
from operator import attrgetter, methodcaller
from types import BuiltinMethodType, CodeType, ModuleType
from typing import Any

from ..world import doors
from . import introspection, library_methods, listing, narrow, pickles, repr_watch, rewriting
from .address import Numbers
from .draws import Draws
from .name_lists import ASKED, ATTRIBUTES, DATES, FORMATS, MOMENTS, NAMES, OF_OWN, TEXT, hidden, problem_of_part
from .patterns import Patterns, Site

PROGRAMS = ("<program>", "<elsewhere>")  # a program's file in tracebacks and warnings, in its two runs
_EXECUTED = "<executed>"  # the file of text that it executes
_PROGRAM = (*PROGRAMS, _EXECUTED)
# The syntax of a text that the library may execute for a program: annotations, no calls.
_QUIET = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.BitOr, ast.Load)
_EXECUTING = {"annotationlib", "bdb", "code", "codeop", "doctest", "timeit", "typing"}
_WRITING = {"collections", "dataclasses"}  # modules that execute text which they write themselves
_COPIED = {  # names that the library keeps in variables, and asks for
    *("__module__", "__name__", "__qualname__", "__doc__", "__annotations__", "__annotate__", "__type_params__"),
    *("__dataclass_fields__", "__dataclass_params__", "__post_init__"),
}
_HASHES = ("__hash__", "_hash", "_hash_algorithm")  # functions that return a hash of the library's own things
_WATCHED = ATTRIBUTES | DATES | ASKED
_FORMATS = (str.format, str.format_map)
_zone_of = datetime.__dict__["tzinfo"].__get__
_ask_for, _asks_for, _names_in, _id, _exact = getattr, hasattr, vars, id, str.__str__  # the built-in ones


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(_OURS)


_OURS = _is_ours.__code__.co_filename.rpartition("determinism")[0]


class Guard:
    """Answers in place of built-in functions, and watches formats, executed texts and seeds."""

    def __init__(self, second: bool = False) -> None:
        """Prepare everything but the program. second: whether it is for the program's second run, see `address`."""
        self._problem = ""
        self._draws = Draws()
        self.of_text: Callable[[str], str] = lambda _: ""  # what is wrong with a text that is executed
        self._numbers = Numbers(id, second)
        self._patterns = Patterns(self._note, self._of_pattern)
        self._texts: dict[tuple[str, str], tuple[CodeType, bool]] = {}
        self._rewrite: Callable[[ast.AST], ast.AST] = lambda tree: tree
        self._watch_formats()
        self._second = second
        library_methods.watch(self._note)
        pickles.watch(self._note, second)
        narrow.watch(self._note, _PROGRAM)
        self._names = self._prepared()

    @property
    def problem(self) -> str:
        """Why the output may differ elsewhere; empty if nothing was found."""
        return self._problem or self._draws.problem

    def let_go(self) -> None:
        """Release the program's objects that are kept: for their addresses, states and patterns."""
        self._numbers.let_go()
        self._draws.let_go()
        self._patterns.let_go()

    def rewriting(self, rewrite: Callable[[ast.AST], ast.AST]) -> None:
        """Rewrite text that the program executes as the program itself is."""
        self._rewrite = rewrite

    def watch(self) -> None:
        """Start to watch this interpreter, for good."""
        self._watching = True
        self._draws.watching = True
        repr_watch.listen(self._note_address)
        if _names_in(builtins)["hash"] is not doors.original("hash"):  # sets of our own have replaced it
            arranged = _names_in(builtins)["hash"]
            self._names[rewriting.HASH] = arranged
            doors.answer("hash", self._hashing(arranged))
        _names_in(builtins).update(self._names)

    def _prepared(self) -> dict[str, Any]:
        """What the built-in names are while a program is watched: doors, and our names for rewritten programs."""
        answers: dict[str, Callable[..., Any]] = {
            "getattr": self._ask,
            "hasattr": self._has,
            "setattr": self._changing(doors.original("setattr")),
            "delattr": self._changing(doors.original("delattr")),
            "vars": self._vars,
            "hash": self._hashing(doors.original("hash")),
            "id": self._identify,
            "eval": self._executing(doors.original("eval"), "eval"),
            "exec": self._executing(doors.original("exec"), "exec"),
            "compile": self._compiling(doors.original("compile")),
            "globals": self._globals,
            "dir": self._dir,
            "input": self._input,
        }
        return {
            **{name: doors.answer(name, answer) for name, answer in answers.items()},
            rewriting.ASK: lambda thing, name: self._found(thing, name, False),
            rewriting.CALLED: lambda thing, name: self._found(thing, name, True),
            rewriting.AUGMENTED: self._augmented,
            rewriting.HASH: doors.original("hash"),
            rewriting.GLOBALS: doors.original("globals"),
            rewriting.SITE: lambda evaluate, names: Site(self._patterns, evaluate, names),
            rewriting.REACHED: self._stop,
            rewriting.OWN: lambda names: {name: names[name] for name in names if not name.startswith(".")},
        }

    def _note_address(self) -> None:
        self._note("it uses an object's address")

    def _ask(self, /, *given: Any, **named: Any) -> Any:
        if not 2 <= len(given) <= 3 or named or not issubclass(type(given[1]), str):
            return _ask_for(*given, **named)  # raises
        thing, name = given[0], _exact(given[1])
        if name[:2] != "__" and name not in _WATCHED and not issubclass(type(thing), ModuleType):
            found = _ask_for(thing, name, *given[2:])
        elif sys._getframe(1).f_code.co_filename in _PROGRAM:
            return self._found(thing, name, False, *given[2:])
        else:
            found = _ask_for(thing, name, *given[2:])
            if _is_given(sys._getframe(1).f_code, name):
                self._check_given(thing, name)
            elif name == "__text_signature__" and found is not None:
                self._note("it asks for the signature of a built-in function, which differs between versions")
        if found is attrgetter or found is methodcaller:
            self._note(f"it uses operator.{found.__name__} with a name that is not written there")
        return found

    def _found(self, thing: Any, name: str, called: bool, *default: Any) -> Any:
        """An attribute that the program asks for. called: whether it is called at once, and no value otherwise."""
        if called and name in MOMENTS and issubclass(type(thing), datetime):
            return self._moment(thing, name)
        self._check(thing, name)
        return self._told(thing, name, _ask_for(thing, name, *default), called)

    def _moment(self, thing: datetime, name: str) -> Any:
        """`timestamp` or `astimezone` of a moment: the machine's time zone decides unless both zones are known."""
        found = _ask_for(thing, name)
        if type(_zone_of(thing)) is not timezone:
            self._note(f"it uses {name} of datetime")
        if name == "timestamp":
            return found

        def call(*given: Any, **named: Any) -> Any:
            self._note("" if [one for one in (*given, *named.values()) if one is not None] else "it uses astimezone")
            return found(*given, **named)

        return call

    def _told(self, thing: Any, name: str, found: Any, called: bool) -> Any:
        """What the program gets of an attribute that was found."""
        module = issubclass(type(found), ModuleType)
        if module and (name == "obj" or issubclass(type(thing), ModuleType)):
            self._note(f"it uses {_shown(thing)}.{name} as a value")
        if found is attrgetter or found is methodcaller:
            self._note(f"it uses operator.{found.__name__} with a name that is not written there")
        if name in FORMATS:
            return self._format(found, called)
        if name == "__repr__" and not called and repr_watch.is_watching(found):
            self._note("it looks at a __repr__ that Python made")
        if name in ("__hash__", "__getattribute__") and not called and found is not None:
            self._note(f"it uses {name} as a value")
        return introspection.result(thing, name, found, self._note, self) if name in OF_OWN else found

    def check(self, thing: Any, name: Any) -> None:
        """Note what is wrong with an attribute that a stand-in is asked for."""
        if issubclass(type(name), str):
            self._check(thing, _exact(name))

    def told(self, thing: Any, name: Any, found: Any) -> Any:
        """What a stand-in returns of that attribute."""
        return self._told(thing, _exact(name), found, False) if issubclass(type(name), str) else found

    def _format(self, found: Any, called: bool) -> Any:
        """`format` of a text is returned after a look at the text."""
        if type(found) is BuiltinMethodType and issubclass(type(found.__self__), str):
            self._look(_exact(found.__self__))
        elif any(found is one for one in _FORMATS):
            if not called:
                self._note(f"it uses str.{found.__name__} as a value")
                return found

            def call(*given: Any, **named: Any) -> Any:
                if given and issubclass(type(given[0]), str):
                    self._look(_exact(given[0]))
                return found(*given, **named)

            return call
        return found

    def _augmented(self, thing: Any, name: str) -> None:
        """`thing.name += ...` gives the attribute to the other side's methods."""
        fine = not issubclass(type(thing), str) if name in FORMATS else name == "obj" or name in MOMENTS
        fine = fine and not issubclass(type(thing), AttributeError | date)
        if name == "__dict__":
            fine = not issubclass(type(thing), type | ModuleType) and not introspection.objection(thing, name)
        self._note("" if fine else f"it uses the attribute {name}")

    def _of_pattern(self, subject: type, name: str) -> str:
        if name in FORMATS or name == "obj":
            fine = not issubclass(subject, AttributeError if name == "obj" else str)
        else:
            fine = not (hidden(name) or name in ASKED - MOMENTS or (name in DATES and issubclass(subject, date)))
        return "" if fine else f"it uses the attribute {name}"

    def _has(self, /, *given: Any, **named: Any) -> bool:
        if len(given) == 2 and issubclass(type(given[1]), str) and sys._getframe(1).f_code.co_filename in _PROGRAM:
            given = given[0], _exact(given[1])
            if given[1] not in ASKED:
                self._check(*given)
        return _asks_for(*given, **named)

    def _changing(self, plain: Callable[..., None]) -> Callable[..., None]:
        """`setattr` and `delattr`."""

        def change(*given: Any, **named: Any) -> None:
            if len(given) > 1 and issubclass(type(given[1]), str):
                name = _exact(given[1])
                given = (given[0], name, *given[2:])
                if hidden(name) and name not in ASKED and sys._getframe(1).f_code.co_filename in _PROGRAM:
                    self._note(f"it sets {name}")
            return plain(*given, **named)

        return change

    def _vars(self, /, *things: Any, **named: Any) -> Any:
        if not things and not named:
            self._note("it uses vars without an object")
            return sys._getframe(1).f_locals
        found = _names_in(*things, **named)
        if sys._getframe(1).f_code.co_filename not in _PROGRAM:
            return found
        self._check(things[0], "__dict__")
        return introspection.result(things[0], "__dict__", found, self._note, self)

    def _hashing(self, plain: Callable[..., int]) -> Callable[..., int]:
        def answer(*given: Any, **named: Any) -> int:
            number = plain(*given, **named)
            code = sys._getframe(1).f_code
            if code.co_filename not in _PROGRAM and (code.co_name in _HASHES or _is_ours(code)):
                return number
            return introspection.checked_hash(number, given[0], self._note)

        return answer

    def _identify(self, /, *given: Any, **named: Any) -> int:
        if len(given) != 1 or named:
            return _id(*given, **named)  # raises
        code = sys._getframe(1).f_code
        if _is_ours(code):
            return _id(given[0])
        return self._numbers.of(given[0], code.co_filename in _PROGRAM)

    def _globals(self, /, *given: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        if frame.f_code.co_filename in _PROGRAM:
            self._note(f"it uses globals: {NAMES['globals']}")
        return doors.original("globals")(*given, **named) if given or named else frame.f_globals

    def _dir(self, /, *given: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        own = frame.f_code.co_filename in _PROGRAM
        if not given and not named:
            self._note(f"it uses dir: {NAMES['dir']}" if own else "")
            return sorted(frame.f_locals)
        found = doors.original("dir")(*given, **named)
        if own or frame.f_globals.get("__name__") == "inspect":
            return listing.names(given[0], found, self._second, self._note)
        return found

    def _input(self, /, *given: Any, **named: Any) -> Any:
        if sys.stdin is sys.__stdin__:
            self._note(f"it uses input: {NAMES['input']}")
            raise EOFError("EOF when reading a line")
        return doors.original("input")(*given, **named)

    def _executing(self, run: Callable[..., Any], mode: str) -> Callable[..., Any]:
        """`eval` and `exec`: the text is checked when it is executed."""

        def call(*given: Any, **named: Any) -> Any:
            frame = sys._getframe(1)
            own = frame.f_code.co_filename in _PROGRAM
            source = given[0] if given else None
            written = frame.f_globals.get("__name__") in _WRITING or _is_ours(frame.f_code)
            if not given or (not own and (written or type(source) is CodeType)):
                if frame.f_globals.get("__name__") in _EXECUTING and _in_library((*given[1:], *named.values())):
                    self._note("it has names looked up in the library")
                return _run(run, frame, given, named)
            if not own and _is_ours(frame.f_code):
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
            tree: Any = self._rewrite(changed or ast.parse(text))
            if mode == "eval":
                tree = ast.Expression(tree.body[0].value)
            code = doors.original("compile")(tree, _EXECUTED, mode, dont_inherit=True)
            self._texts[text, mode] = code, changed is not None
        return self._texts[text, mode]

    def _compiling(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """`compile`, which the program must not use, and the library only for texts that call nothing."""

        def answer(*given: Any, **named: Any) -> Any:
            frame = sys._getframe(1)
            flags = given[3] if len(given) > 3 else named.get("flags", 0)
            if frame.f_code.co_filename in _PROGRAM:
                self._note(f"it uses compile: {NAMES['compile']}")
            elif frame.f_globals.get("__name__") in _EXECUTING and not flags & ast.PyCF_ONLY_AST:
                quiet = _quiet(given[0] if given else named.get("source"))
                self._note("" if quiet else f"it has text executed: {TEXT}")
            return plain(*given, **named)

        return answer

    def _note(self, problem: str) -> None:
        self._problem = self._problem or problem

    def _stop(self, problem: str) -> None:
        """Note a problem, and end the program unless it catches that."""
        self._note(problem)
        raise RuntimeError(problem)

    def _check_given(self, thing: Any, name: str) -> None:
        """Check a name that the library has from the program."""
        if name == "__dict__":
            foreign = issubclass(type(thing), type) and not introspection.is_own(thing)
            self._note(f"it uses the attribute {name}" if foreign else "")
        if name in FORMATS:
            self._format(_ask_for(thing, name, None), False)
        else:
            self._check(thing, name)

    def _check(self, thing: object, name: str) -> None:
        if name in ASKED and thing is not None:
            problem = introspection.objection(thing, name) if name in OF_OWN else ""
        else:
            problem = f"it uses the attribute {name}" if hidden(name) or name == "obj" else ""
        kind: Any = type(thing)  # not isinstance, which asks the thing itself for its class
        if issubclass(kind, ModuleType):
            problem = problem or problem_of_part(thing.__name__.partition(".")[0], name)  # type: ignore[attr-defined]
        dates = issubclass(thing if issubclass(kind, type) else kind, date)  # type: ignore[arg-type]
        self._note(problem or (f"it uses {name} of {date.__module__}" if dates and name in DATES else ""))

    def _look(self, text: str) -> None:
        """Check the attributes that the fields of a format read."""
        if "." not in text:
            return
        try:
            for _, field, spec, _ in self._parse(text):
                if field:
                    self._parts(field)
                if spec:
                    self._look(spec)
        except ValueError:
            pass  # the method itself raises for a wrong format

    def _parts(self, field: str) -> Any:
        first, rest = self._split(field)
        if not self._watching:
            return first, rest
        found = list(rest)
        for is_attribute, name in found:
            if is_attribute:
                self._check(None, name)
        return first, iter(found)

    def _watch_formats(self) -> None:
        self._watching = False
        module: Any = importlib.import_module("_string")
        self._parse, self._split = module.formatter_parser, module.formatter_field_name_split
        module.formatter_field_name_split = self._parts


def _is_given(code: CodeType, name: str) -> bool:
    """Whether the program chose a name that this code asks for. Names in the library's code are the library's."""
    if code.co_filename in _PROGRAM:
        return True
    if _is_ours(code) or name in _COPIED:
        return False
    return not any(name == one or (type(one) is tuple and name in one) for one in code.co_consts)


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


def _shown(thing: Any) -> str:
    return thing.__name__ if issubclass(type(thing), ModuleType) else type(thing).__name__


def _quiet(source: Any) -> bool:
    """Whether a text only names types, and calls nothing."""
    try:
        tree = ast.parse(source, mode="eval") if isinstance(source, str) else source
        inside = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError):
        return True  # it can not be executed either
    fine = all(isinstance(node, (*_QUIET, ast.Expression)) for node in inside)
    return fine and not any(isinstance(node, ast.Attribute) and hidden(node.attr) for node in inside)
