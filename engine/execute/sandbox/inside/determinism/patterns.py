"""Class patterns read the attributes that `__match_args__` names, out of the static rule's sight (S3).

`case A(b)` asks whether the subject is an instance of A, reads `A.__match_args__` (which a metaclass may compute), and
reads the attributes that are named there. So the rewritten program matches a class of ours in A's place. It asks A the
same questions at the same time, and shows the names to the guard before Python reads them.
"""

from collections.abc import Callable, Collection
from types import ModuleType
from typing import Any

from .introspection import kind_of

_SELF, _ON_HEAP = 1 << 22, 1 << 9  # flags of a type: its one positional pattern is the subject; Python code made it
_FLAGS, _MODULE, _NAME = (type.__dict__[name].__get__ for name in ("__flags__", "__module__", "__name__"))
_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)  # they read no attributes
Note = Callable[[str], None]


class Site:
    """An expression in a pattern, evaluated where Python would evaluate it."""

    __slots__ = ("_evaluate", "_names", "_patterns")

    def __init__(self, patterns: "Patterns", evaluate: Callable[[], Any] | None, names: Collection[str]) -> None:
        """names: attributes that the pattern reads by keyword, and that the guard must see."""
        self._patterns, self._names = patterns, names
        self._evaluate = evaluate or patterns.refuse

    @property
    def value(self) -> Any:
        """What the expression gives."""
        return self._evaluate()

    @property
    def kind(self) -> Any:
        """The class to match in place of the one that the expression gives."""
        return self._patterns.of(self._evaluate(), self._names)


class Patterns:
    """The classes that stand for a program's classes in its patterns."""

    def __init__(self, note: Note, problem: Callable[[Any, str], str]) -> None:
        """note: called with what the program must not do. problem: what is wrong with an attribute of a class
        or of its instances."""
        self._note, self._problem = note, problem
        self._made: dict[tuple[int, Collection[str]], tuple[Any, Any]] = {}

    def refuse(self) -> Any:
        self._note("it matches a class in the body of a class")

    def let_go(self) -> None:
        """Release the program's classes."""
        self._made.clear()

    def of(self, kind: Any, names: Collection[str]) -> Any:
        if not issubclass(type(kind), type) or (not names and any(kind is one for one in _WHOLE)):
            return kind
        if (id(kind), names) not in self._made:
            self._made[id(kind), names] = kind, self._make(kind, names)
        return self._made[id(kind), names][1]

    def _make(self, kind: Any, names: Collection[str]) -> Any:
        note, problem = self._note, self._problem
        subject: list[Any] = [None]  # the last instance that was found, if it is a class; otherwise its class

        class Meta(type):
            def __instancecheck__(cls, thing: object) -> bool:
                found = isinstance(thing, kind)
                if found:
                    subject[0] = kind_of(thing)
                    look(names)
                return found

            @property
            def __match_args__(cls) -> Any:
                try:
                    found = kind.__match_args__
                except AttributeError:
                    if _FLAGS(kind) & _SELF:
                        raise
                    return ()
                look(found if type(found) is tuple else ())
                return found

        def look(asked: Collection[Any]) -> None:
            if asked and issubclass(subject[0], ModuleType):
                note("it matches a module")
            for name in asked:
                if type(name) is str:
                    note(problem(subject[0], name))

        shown = _NAME(kind)
        if not _FLAGS(kind) & _ON_HEAP and _MODULE(kind) != "builtins":
            shown = f"{_MODULE(kind)}.{shown}"  # as Python names it in errors
        return Meta(shown, (int,), {})  # a class below `int` may have the subject as its one positional pattern
