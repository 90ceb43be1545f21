"""The operators of views: what Python would do with the object, looked up along its class and done past the object.

An operator that the puzzle wrote is called; one of data runs on a copy; what `object`, `dataclass` and `enum` define is
computed here from what can be read; the methods of `collections.abc` run with the view in the object's place.
"""

import enum
import operator
from abc import ABCMeta
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field
from types import FunctionType, MethodDescriptorType, MethodType, WrapperDescriptorType
from typing import Any

from . import kinds
from .kinds import find, is_code, mro_of, name_of
from .making import called
from .members import of_class, of_member
from .policy import RefusedError
from .views import View, attribute, bare, call, data, give, show

_ENUM = vars(enum)


def run(shown: Any, name: str, *others: Any) -> Any:
    """What an operator of the object's class gives: NotImplemented if it has none. Raises RefusedError if that is code
    of the library's that could change something."""
    thing = shown._shown
    home, slot = find(type(thing), name)
    origin = slot.__objclass__ if type(slot) in (WrapperDescriptorType, MethodDescriptorType) else None
    if slot is MISSING:
        return NotImplemented
    if slot is None:
        raise TypeError(f"{name_of(type(thing))!r} object has no {name}")
    if (known := kinds.fields(home, slot)) is not None:
        return _of_record(shown, name, known, *others)
    if type(slot) is FunctionType and kinds.globals_of(slot) is kinds.ABSTRACT:  # it asks the object for what it needs
        return slot(shown, *others)
    if is_code(slot):
        return call(slot, thing, *map(give, others))
    if name == "__repr__" and (names := kinds.named_fields(home)) is not None:
        told = (f"{one}={part!r}" for one, part in zip(names, data(thing), strict=True))
        return f"{name_of(type(thing))}({', '.join(told)})"
    if type(slot) is FunctionType and kinds.globals_of(slot) is _ENUM:
        is_class = type in mro_of(type(thing))
        return of_class(thing, name, *others) if is_class else of_member(thing, name, *others)
    if origin in kinds.DATA:
        return _of_data(data(thing), name, *others)
    if origin in (object, type, FunctionType, MethodType, BaseException) and home is origin:
        return _of_object(shown, name, *others)
    raise RefusedError(f"use {name} of the puzzle's {name_of(type(thing))}, which is no function of the puzzle's")


def _of_data(copy: Any, name: str, *others: Any) -> Any:
    function = _FUNCTIONS.get(name)
    if function is not None:
        return function(copy, *others)
    return getattr(copy, name)(*others)


def _of_object(shown: Any, name: str, *others: Any) -> Any:
    """What all objects have."""
    thing = shown._shown
    if name == "__eq__":
        return bare(others[0]) is thing or (type(thing) is MethodType and thing == bare(others[0])) or NotImplemented
    if name == "__hash__":
        return hash(thing)
    if name == "__ne__":
        equal = run(shown, "__eq__", *others)
        return equal if equal is NotImplemented else not equal
    if name == "__str__" and BaseException in mro_of(type(thing)):
        args = show(thing.args)
        return str(args[0]) if len(args) == 1 else str(args)
    if name in ("__str__", "__repr__") and BaseException not in mro_of(type(thing)):
        return run(shown, "__repr__") if name == "__str__" else f"<{name_of(type(thing))} of the puzzle>"
    if name == "__format__":
        return format(str(shown), *others)
    if name in _REFLECTED:
        return NotImplemented
    raise RefusedError(f"use {name} of the puzzle's {name_of(type(thing))}")


def _of_record(shown: Any, name: str, known: list[Field[Any]], *others: Any) -> Any:
    """What `dataclass` writes for a class with these fields."""
    thing = shown._shown
    if name == "__repr__":
        told = (f"{one.name}={attribute(thing, one.name)!r}" for one in known if one.repr)
        return f"{type(thing).__qualname__}({', '.join(told)})"
    if name == "__hash__":
        return hash(_values(thing, [one for one in known if (one.compare if one.hash is None else one.hash)]))
    if type(bare(others[0])) is not type(thing):
        return NotImplemented
    compared = [one for one in known if one.compare]
    return getattr(operator, name)(_values(thing, compared), _values(bare(others[0]), compared))


def _values(thing: Any, known: list[Field[Any]]) -> tuple[Any, ...]:
    return tuple(attribute(thing, one.name) for one in known)


def _or_error(shown: Any, name: str, made: Any) -> Any:
    if made is NotImplemented:
        raise TypeError(f"{name_of(type(shown._shown))!r} object has no {name}")
    return made


def _unary(name: str) -> Callable[..., Any]:
    return lambda shown, *others: _or_error(shown, name, run(shown, name, *others))


def _binary(name: str) -> Callable[[Any, Any], Any]:
    """Of two views Python takes the second for no other type than the first, so that one is asked here."""
    back = _REFLECTED[name]

    def operate(shown: Any, other: Any) -> Any:
        one, two = type(shown._shown), type(bare(other))
        first = type(other) is View and one is not two and one in mro_of(two)
        if first and find(two, back)[1] is not find(one, back)[1]:
            made = run(other, back, shown)
            if made is not NotImplemented:
                return made
        made = run(shown, name, other)
        if made is NotImplemented and type(other) is View and (one is not two or name in _COMPARED):
            return run(other, back, shown)
        return made

    return operate


def _backwards(name: str) -> Callable[[Any, Any], Any]:
    function = _FUNCTIONS[name]

    def operate(shown: Any, other: Any) -> Any:
        back = _REFLECTED[name]
        if find(type(shown._shown), back)[1] is MISSING and kinds.base(type(shown._shown)) is not None:
            return function(other, data(shown._shown))  # lists and texts are put together without a method of that name
        return run(shown, back, other)

    return operate


_COMPARED = {"__eq__": "__eq__", "__ne__": "__ne__", "__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__"}
_COMPARED["__ge__"] = "__le__"
_ARITHMETIC = """add sub mul truediv floordiv mod pow matmul and or xor lshift rshift
    divmod"""
_REFLECTED = {**_COMPARED, **{f"__{name}__": f"__r{name}__" for name in _ARITHMETIC.split()}}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in _REFLECTED if name != "__divmod__"},
    **{
        back: lambda a, b, name=name: getattr(operator, name)(b, a)
        for name, back in _REFLECTED.items()
        if back[2] == "r"
    },
    **{"__divmod__": divmod, "__rdivmod__": lambda a, b: divmod(b, a), "__reversed__": reversed, "__round__": round},
    **{"__iter__": iter, "__bool__": bool, "__hash__": hash, "__str__": str, "__repr__": repr, "__format__": format},
    **{"__len__": len, "__contains__": operator.contains, "__getitem__": operator.getitem},
}


class _Operators:
    """What `View` gets."""

    _shown: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return called(self, args, kwargs)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        made = run(self, "__iter__")
        if made is NotImplemented and find(type(self._shown), "__getitem__")[1] is not MISSING:
            return _by_places(self)
        return iter(_or_error(self, "__iter__", made))

    def __reversed__(self) -> Iterator[Any]:
        made = run(self, "__reversed__")
        if made is NotImplemented:
            return map(self.__getitem__, range(len(self) - 1, -1, -1))
        return iter(made)

    def __contains__(self, thing: Any) -> bool:
        made = run(self, "__contains__", thing)
        return any(one is thing or one == thing for one in self) if made is NotImplemented else bool(made)

    def __getitem__(self, key: Any) -> Any:
        kind = self._shown
        found = find(kind, "__class_getitem__")[1] if type in mro_of(type(kind)) else MISSING
        if found is not MISSING and find(type(kind), "__getitem__")[1] is MISSING:
            return call(getattr(found, "__func__", found), kind, give(key))
        try:
            return _or_error(self, "__getitem__", run(self, "__getitem__", key))
        except KeyError:
            own = find(type(kind), "__getitem__")[0] is not dict
            if own or find(type(kind), "__missing__")[1] is MISSING:
                raise
        return run(self, "__missing__", key)

    def __bool__(self) -> bool:
        for name in ("__bool__", "__len__"):
            made = run(self, name)
            if made is not NotImplemented:
                return bool(made)
        return True

    def __len__(self) -> int:
        return _or_error(self, "__len__", run(self, "__len__"))  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        return _or_error(self, "__hash__", run(self, "__hash__"))  # type: ignore[no-any-return]

    def __instancecheck__(self, thing: Any) -> bool:
        return self.__subclasscheck__(type(bare(thing)))

    def __subclasscheck__(self, kind: Any) -> bool:
        """By the bases; a class with abstract methods may have been told of others."""
        own, kind = self._shown, bare(kind)
        for name in ("__instancecheck__", "__subclasscheck__"):
            if find(type(own), name)[0] not in (type, ABCMeta):
                raise RefusedError(f"ask for instances of {name_of(own)}, whose metaclass answers itself")
        if own in mro_of(kind) or type(own) is type:
            return own in mro_of(kind)
        if find(own, "__subclasshook__")[0] is not object:
            raise RefusedError(f"ask for instances of {name_of(own)}, which answers itself")
        return issubclass(kind, own)


def _by_places(shown: Any) -> Iterator[Any]:
    place = 0
    while True:
        try:
            yield shown[place]
        except IndexError:
            return
        place += 1


_UNARY = """abs int float complex str repr next index neg pos invert round format trunc
    floor ceil"""
for _name, _method in list(vars(_Operators).items()):
    if isinstance(_method, FunctionType):
        setattr(View, _name, _method)
for _name in _UNARY.split():
    setattr(View, f"__{_name}__", _unary(f"__{_name}__"))
for _name, _back in _REFLECTED.items():
    setattr(View, _name, _binary(_name))
    if _name not in _COMPARED:
        setattr(View, _back, _backwards(_name))
