"""Calls through a view: of the puzzle's functions and objects, and of its classes, which makes new objects."""

import enum
from types import FunctionType, MethodType
from typing import Any

from . import kinds, memory
from .kinds import find, is_code, mro_of, name_of
from .members import member_of
from .policy import RefusedError
from .views import View, call, give, show, theirs, view


def called(shown: View, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call of the shown thing gives."""
    thing = shown._shown
    kind = type(thing)
    home, slot = find(kind, "__call__")
    if type in mro_of(kind) and not is_code(slot):
        if home is type:
            return _made(thing, args, kwargs)
        if home is not enum.EnumMeta or kwargs or not args:
            raise RefusedError(f"call {name_of(thing)}")
        return member_of(thing, args[0] if len(args) == 1 else args)
    first: tuple[Any, ...] = ()
    function = slot
    if kind is MethodType:
        function, first = thing.__func__, (thing.__self__,)
    elif kind in (FunctionType, kinds.CACHED):
        function = thing
    elif is_code(slot):
        first = (thing,)
    if type(function) is kinds.CACHED:
        function = memory.past(function, *first, *args, *kwargs.values())
    given, named = give((args, kwargs))  # together: what is one list stays one
    return call(function, *first, *given, **named)


def _made(kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A new object. Where data takes the arguments apart, that is done before, on the solution's side."""
    (new_home, new), (init_home, init) = find(kind, "__new__"), find(kind, "__init__")
    own_new = is_code(new.__func__ if type(new) is staticmethod else new)
    for home, own in ((new_home, own_new), (init_home, is_code(init))):
        if not own and not kinds.is_plain(home):
            raise RefusedError(f"make a {name_of(kind)}, which the library's code would do")
    if not kinds.is_made_by_own(kind):
        raise RefusedError(f"make a {name_of(kind)}, which the library's code would do")
    base = kinds.base(kind)
    if base is not None and not own_new and not is_code(init):
        made = give(base(*args, **kwargs))
        with theirs:
            return view(kind(made))
    is_past_data = own_new and (is_code(init) or init_home is object)
    if base is not None and not is_past_data and any(type(part) is View for part in args):
        raise RefusedError(f"make a {name_of(kind)} of that")
    given, named = give((args, kwargs))
    with theirs:
        new_one = kind(*given, **named)
    return show(new_one)
