"""The border between a solution's code that names functions, classes or objects of the puzzle's, and the puzzle.

Such code sees views. What it gives to the puzzle crosses the border here: views become what they show, data is made
anew, and functions and iterators get a shell that holds all that passes through them to the border, too. What the
puzzle hands to a shell crosses it the other way: data is made anew, things of the puzzle's become views. Lists,
dictionaries, sets and byte arrays that the code has changed are changed accordingly when the call ends. So the puzzle
meets its own objects and plain data only, the code meets neither, and no list is ever in the hands of both.
"""

import functools
import inspect
import operator
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from . import kinds
from .library import Kind, instead, is_made, is_part
from .policy import RefusedError
from .views import View, bare, theirs, view

_ATOMS = (int, str, bool, type(None), float, bytes, complex, range, type(...), type(NotImplemented))
_REMADE = (Counter, OrderedDict, deque)
_FUNCTIONS: tuple[type, ...] = (FunctionType, BuiltinFunctionType, MethodType, type("".__len__), kinds.CACHED)
_CALLED = (*_FUNCTIONS, functools.partial, operator.itemgetter)

_OF_CLASSES = ("__new__", "__init__", "__module__", "__dict__", "__weakref__")
_BEHIND = ", if it uses the puzzle's functions, classes or objects"
_Crossed = dict[int, tuple[Any, Any]]  # by the address of a thing: it, so that it stays there, and what became of it
_shells: _Crossed = {}
_cores: _Crossed = {}  # of the shells


def _anew(thing: Any, cross: Callable[[Any], Any], crossed: _Crossed) -> Any:
    """Data made anew. What is in it and is none crosses by `cross`."""
    kind = type(thing)
    if kind in _ATOMS:
        return thing
    if id(thing) in crossed:
        return crossed[id(thing)][1]
    if kind in (list, dict, set, bytearray):
        made: Any = kind()
        crossed[id(thing)] = thing, made
        _fill(made, thing, lambda part: _anew(part, cross, crossed))
        return made
    if kind in (tuple, frozenset):
        return kind(_anew(part, cross, crossed) for part in thing)
    if kind is slice:
        return slice(*(_anew(part, cross, crossed) for part in (thing.start, thing.stop, thing.step)))
    return cross(thing)


def _fill(made: Any, thing: Any, cross: Callable[[Any], Any]) -> None:
    kind = type(thing)
    if kind is bytearray:
        made[:] = thing
    elif kind is list:
        made[:] = [cross(part) for part in thing]
    else:
        parts: Any = [(cross(k), cross(v)) for k, v in thing.items()] if kind is dict else [cross(p) for p in thing]
        made.clear()
        made.update(parts)


# ------------------------------------------------------------------------------------------------ to the puzzle


def hand_over(thing: Any, crossed: _Crossed | None = None) -> Any:
    """What the puzzle gets for a thing of the solution's. Raises RefusedError if that can not be told."""
    return _anew(thing, _out, {} if crossed is None else crossed)


def _out(thing: Any) -> Any:
    kind = type(thing)
    if kind is View:
        return bare(thing)
    if kinds.is_frozen(thing) or is_part(thing):
        return thing
    if thing is Kind:
        return type
    if kind in _REMADE:
        return _remade(thing, hand_over)
    if id(thing) not in _shells:
        shell = _shell(thing)
        _shells[id(thing)], _cores[id(shell)] = (thing, shell), (shell, thing)
    return _shells[id(thing)][1]


def _remade(thing: Any, cross: Callable[[Any], Any]) -> Any:
    kind = type(thing)
    return deque(cross(list(thing)), thing.maxlen) if kind is deque else kind(cross(dict(thing)))


def _shell(core: Any) -> Any:
    if type(core) in _CALLED:
        return _function(core)
    if kinds.find(type(core), "__next__")[0] is not object and kinds.module_of(type(core)) in ("builtins", "itertools"):
        return _iterator(core)
    if kinds.base(core if isinstance(core, type) else type(core)) is None:
        if isinstance(core, type) and is_made(core):
            return _class(core)
        if is_made(type(core)):
            return object.__new__(_out(type(core)))
    raise RefusedError(f"give the puzzle a {kinds.name_of(type(core))}{_BEHIND}")


def _class(core: Any) -> Any:
    """A class whose objects are shells of the class's objects."""

    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return make(*args, **kwargs)

    make = _function(core)
    own = {name: _in_class(part) for name, part in kinds.names_of(core).items() if name not in _OF_CLASSES}
    own |= {"__new__": new, "__init__": lambda *_, **__: None, "__module__": core.__module__}
    return type(core.__name__, tuple(map(_out, core.__bases__)), own)


def _in_class(part: Any) -> Any:
    """An attribute of a class. A function of the puzzle's would be called with an object of the solution's, and so
    would the `__get__` and the `__set_name__` of the puzzle's objects."""
    return _out(part) if type(part) is FunctionType else _anew(part, _unchanging, {})


def _unchanging(part: Any) -> Any:
    if kinds.is_frozen(part) or is_part(part):
        return part
    raise RefusedError("have more than functions of its own and data in a class" + _BEHIND)


def _function(core: Any) -> Any:
    """A function that calls one of the solution's, or something that can be called."""

    def shell(*args: Any, **kwargs: Any) -> Any:
        loan = _Loan()
        failed: BaseException | None = None
        given, named = [loan.take(one) for one in args], {name: loan.take(thing) for name, thing in kwargs.items()}
        try:
            made = core(*given, **named)
        except BaseException as error:
            failed = error
        is_theirs = theirs.raised(failed)
        loan.end()
        if failed is None:
            return hand_over(made, loan.owners())
        try:  # not where it is caught, since it would be the context of what is raised
            raise failed if is_theirs else _error(failed)
        finally:
            failed = None

    shell.__name__ = shell.__qualname__ = getattr(core, "__name__", "<lambda>")
    with suppress(TypeError, ValueError, AttributeError, RefusedError):  # some have none
        found = inspect.signature(core).parameters.values()
        shell.__signature__ = inspect.Signature([_without_default(one) for one in found])  # type: ignore[attr-defined]
    return shell


def _iterator(core: Any) -> Iterator[Any]:
    """What an iterator of the solution's gives."""
    while True:
        try:
            part = next(core)
        except StopIteration:
            return
        except BaseException as error:
            failed: BaseException = error if theirs.raised(error) else _error(error)
            failed.__context__ = None
        else:
            yield hand_over(part)
            continue
        raise failed


def _error(error: BaseException) -> BaseException:
    """What the puzzle may catch. What the solution's code has raised is made anew, since things of its own are in it;
    an exception of the puzzle's is the puzzle's own."""
    kind = type(error)
    if kinds.is_of_puzzle(kind) or kind is RefusedError:
        return error
    try:
        return kind(*hand_over(error.args)) if kinds.is_plain(kind) else kind(str(error))
    except RefusedError as refused:
        return RefusedError(f"raise what it raises: {refused}")


def _without_default(one: inspect.Parameter) -> inspect.Parameter:
    return one if one.default is inspect.Parameter.empty else one.replace(default=...)


# ------------------------------------------------------------------------------------------------ to the solution


class _Loan:
    """What the puzzle hands over in one call."""

    def __init__(self) -> None:
        self._crossed: _Crossed = {}
        self._were: dict[int, Any] = {}  # what was in the copies

    def take(self, thing: Any) -> Any:
        made = _anew(thing, _in, self._crossed)
        self._were = {id(copy): _parts(copy) for _, copy in self._crossed.values()}
        return made

    def owners(self) -> _Crossed:
        """What becomes of the copies when they are given back."""
        return {id(copy): (copy, owner) for owner, copy in self._crossed.values()}

    def end(self) -> None:
        """Change what was handed over as the copies were changed."""
        owners = self.owners()
        for owner, copy in self._crossed.values():
            were, are = self._were[id(copy)], _parts(copy)
            if len(were) != len(are) or not all(map(operator.is_, were, are)):
                _fill(owner, copy, lambda part: hand_over(part, owners))


def _parts(thing: Any) -> list[Any]:
    return [part for pair in thing.items() for part in pair] if type(thing) is dict else list(thing)


def _in(thing: Any) -> Any:
    if id(thing) in _cores:
        return _cores[id(thing)][1]
    if thing is type:
        return Kind
    if kinds.is_frozen(thing):
        return thing
    if is_part(thing):
        return instead(thing)
    if kinds.is_shown(thing):
        return view(thing)
    raise RefusedError(f"be handed a {kinds.name_of(type(thing))}{_BEHIND}")
