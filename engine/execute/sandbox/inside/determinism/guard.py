"""What a program computes, watched while it runs, because the static rule can not read it (S3).

Attributes and formats are looked at in `attributes`, texts that are executed in `texts`, patterns in `patterns`, seeds
in `draws`. A `Guard` puts them together, and answers in place of `hash`, `id`, `dir` and `input`. It is made once,
before the process is forked or the guest snapshotted, because a fork pays for each page of memory that it changes.
`watch` then opens the doors (see `world.doors`) in the one interpreter in which a program is about to run. `problem` is
the first thing that the program must not ask for, whether the program catches errors or not.
"""

import builtins
import sys
from collections.abc import Callable
from typing import Any

from ..world import doors
from . import introspection, library_methods, listing, narrow, pickles, releases, repr_watch, rewriting
from .address import Numbers
from .askers import PROGRAM, is_ours
from .attributes import Attributes
from .draws import Draws
from .name_lists import NAMES
from .patterns import Patterns, Site
from .texts import Texts

_HASHES = ("__hash__", "_hash", "_hash_algorithm")  # functions that return a hash of the library's own things
_names_in, _id = vars, id  # the built-in ones


class Guard:
    """All that watches a program."""

    def __init__(self, second: bool = False) -> None:
        """Prepare everything but the program. second: whether it is for the program's second run, see `address`."""
        self._problem = ""
        self._draws = Draws()
        self._numbers = Numbers(id, second)
        self._attributes = Attributes(self._note)
        self._patterns = Patterns(self._note, self._attributes.of_pattern)
        self.texts = Texts(self._note, self._stop)
        self._second = second
        library_methods.watch(self._note)
        pickles.watch(self._note, second)
        narrow.watch(self._note, PROGRAM)
        self._names = self._prepared()

    @property
    def problem(self) -> str:
        """Why the output may differ elsewhere; empty if nothing was found."""
        return self._problem or self._draws.problem or self._attributes.problem

    def let_go(self) -> None:
        """Release the program's objects that are kept: for their addresses, states and patterns."""
        self._numbers.let_go()
        self._draws.let_go()
        self._patterns.let_go()

    def watch(self) -> None:
        """Start to watch this interpreter, for good."""
        self._attributes.watching = True
        self._draws.watching = True
        repr_watch.listen(self._note_address)
        if _names_in(builtins)["hash"] is not doors.original("hash"):  # sets of our own have replaced it
            arranged = _names_in(builtins)["hash"]
            self._names[rewriting.HASH] = arranged
            doors.answer("hash", self._hashing(arranged))
        _names_in(builtins).update(self._names)

    def _prepared(self) -> dict[str, Any]:
        """What the built-in names are while a program is watched: doors, and our names for rewritten programs."""
        attributes, texts = self._attributes, self.texts
        answers: dict[str, Callable[..., Any]] = {
            "getattr": attributes.ask,
            "hasattr": attributes.has,
            "setattr": attributes.changing(doors.original("setattr")),
            "delattr": attributes.changing(doors.original("delattr")),
            "vars": attributes.vars,
            "hash": self._hashing(doors.original("hash")),
            "id": self._identify,
            "eval": texts.executing(doors.original("eval"), "eval"),
            "exec": texts.executing(doors.original("exec"), "exec"),
            "compile": texts.compiling(doors.original("compile")),
            "globals": texts.globals,
            "dir": self._dir,
            "input": self._input,
        }
        return {
            **{name: doors.answer(name, answer) for name, answer in answers.items()},
            rewriting.ASK: lambda thing, name: attributes.found(thing, name, False),
            rewriting.CALLED: lambda thing, name: attributes.found(thing, name, True),
            rewriting.AUGMENTED: attributes.augmented,
            rewriting.HASH: doors.original("hash"),
            rewriting.GLOBALS: doors.original("globals"),
            rewriting.SITE: lambda evaluate, names: Site(self._patterns, evaluate, names),
            rewriting.REACHED: self._stop,
            releases.NOW: sys.exception,
            rewriting.OWN: lambda names: {name: names[name] for name in names if not name.startswith(".")},
        }

    def _note_address(self) -> None:
        self._note("it uses an object's address")

    def _hashing(self, plain: Callable[..., int]) -> Callable[..., int]:
        def answer(*given: Any, **named: Any) -> int:
            number = plain(*given, **named)
            code = sys._getframe(1).f_code
            if code.co_filename not in PROGRAM and (code.co_name in _HASHES or is_ours(code)):
                return number
            return introspection.checked_hash(number, given[0], self._note)

        return answer

    def _identify(self, /, *given: Any, **named: Any) -> int:
        if len(given) != 1 or named:
            return _id(*given, **named)  # raises
        code = sys._getframe(1).f_code
        if is_ours(code):
            return _id(given[0])
        return self._numbers.of(given[0], code.co_filename in PROGRAM)

    def _dir(self, /, *given: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        own = frame.f_code.co_filename in PROGRAM
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

    def _note(self, problem: str) -> None:
        self._problem = self._problem or problem

    def _stop(self, problem: str) -> None:
        """Note a problem, and end the program unless it catches that."""
        self._note(problem)
        raise RuntimeError(problem)
