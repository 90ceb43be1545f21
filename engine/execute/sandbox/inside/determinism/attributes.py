"""Attributes that a program asks for, by names that it writes, computes or puts into formats (S3).

The static rule reads the names in the text. Here the object is looked at, too, and the names that only a run shows.
"""

import importlib
import sys
from collections.abc import Callable
from datetime import date, datetime, timezone
from operator import attrgetter, methodcaller
from types import BuiltinMethodType, ModuleType
from typing import Any

from . import introspection, repr_watch
from .askers import PROGRAM, is_given
from .introspection import kind_of
from .name_lists import ASKED, ATTRIBUTES, DATES, FORMATS, MOMENTS, OF_OWN, hidden, problem_of_part

_WATCHED = ATTRIBUTES | DATES | ASKED
_FORMATS = (str.format, str.format_map)
_LONGS = "lLnNP"  # formats of items whose sizes differ between machines
# Attributes of which the program may do anything but with objects of these types, and the types themselves.
_OWNERS: dict[str, type] = {
    **dict.fromkeys(FORMATS, str),
    **dict.fromkeys(MOMENTS, date),
    **{"obj": AttributeError, "cast": memoryview},
}
_zone_of = datetime.__dict__["tzinfo"].__get__
_ask_for, _asks_for, _names_in, _exact = getattr, hasattr, vars, str.__str__  # the built-in ones


class Attributes:
    """Answers in place of `getattr`, `hasattr`, `setattr`, `delattr` and `vars`, and in rewritten programs."""

    def __init__(self, note: Callable[[str], None]) -> None:
        """note: called with what the program must not ask for."""
        self._note = note
        self.watching = False  # whether a program runs: formats of the library's own are not looked at
        self._looking = {one: self._made_looking(one) for one in _FORMATS}  # one each, since `is` may compare them
        self._watch_formats()

    @property
    def problem(self) -> str:
        """What the program did to a stand-in that it could not have done to the original; empty if nothing."""
        return "it sets an attribute of str.format" if any(map(_names_in, self._looking.values())) else ""

    def ask(self, /, *given: Any, **named: Any) -> Any:
        if not 2 <= len(given) <= 3 or named or not issubclass(type(given[1]), str):
            return _ask_for(*given, **named)  # raises
        thing, name = given[0], _exact(given[1])
        if name[:2] != "__" and name not in _WATCHED and not issubclass(type(thing), ModuleType):
            found = _ask_for(thing, name, *given[2:])
        elif sys._getframe(1).f_code.co_filename in PROGRAM:
            return self.found(thing, name, False, *given[2:])
        else:
            found = _ask_for(thing, name, *given[2:])
            if is_given(sys._getframe(1).f_code, name):
                self._check_given(thing, name)
            elif name == "__text_signature__" and found is not None:
                self._note("it asks for the signature of a built-in function, which differs between versions")
        if found is attrgetter or found is methodcaller:
            self._note(f"it uses operator.{found.__name__} with a name that is not written there")
        return found

    def found(self, thing: Any, name: str, called: bool, *default: Any) -> Any:
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
        if name == "cast":
            return self._cast(found, called)
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
            return self._looking[found]
        return found

    def _made_looking(self, method: Any) -> Any:
        """A method of texts that looks at the text first."""

        def call(*given: Any, **named: Any) -> Any:
            if given and issubclass(type(given[0]), str):
                self._look(_exact(given[0]))
            return method(*given, **named)

        call.__name__, call.__qualname__, call.__doc__ = method.__name__, method.__qualname__, method.__doc__
        return call

    def _cast(self, found: Any, called: bool) -> Any:
        """`cast` of a view: a program may call it with a format whose items have one size on all machines."""
        bound = type(found) is BuiltinMethodType and type(found.__self__) is memoryview
        if not bound and found is not memoryview.cast:
            return found
        if not called:
            self._note("it uses memoryview.cast as a value")

        def call(*given: Any, **named: Any) -> Any:
            view = found(*given, **named)
            self._note(f"it uses items of the format {view.format}" if view.format[-1] in _LONGS else "")
            return view

        return call

    def augmented(self, thing: Any, name: str) -> None:
        """`thing.name += ...` gives the attribute to the other side's methods."""
        fine = name in _OWNERS and not issubclass(kind_of(thing), _OWNERS[name])
        if name == "__dict__":
            fine = not issubclass(type(thing), type | ModuleType) and not introspection.objection(thing, name)
        self._note("" if fine else f"it uses the attribute {name}")

    def of_pattern(self, subject: type, name: str) -> str:
        if name in _OWNERS:
            fine = not issubclass(subject, _OWNERS[name])
        else:
            fine = not (hidden(name) or name in ASKED or (name in DATES and issubclass(subject, date)))
        return "" if fine else f"it uses the attribute {name}"

    def has(self, /, *given: Any, **named: Any) -> bool:
        if len(given) == 2 and issubclass(type(given[1]), str) and sys._getframe(1).f_code.co_filename in PROGRAM:
            given = given[0], _exact(given[1])
            if given[1] not in ASKED:
                self._check(*given)
        return _asks_for(*given, **named)

    def changing(self, plain: Callable[..., None]) -> Callable[..., None]:
        """`setattr` and `delattr`."""

        def change(*given: Any, **named: Any) -> None:
            if len(given) > 1 and issubclass(type(given[1]), str):
                name = _exact(given[1])
                given = (given[0], name, *given[2:])
                if hidden(name) and name not in ASKED and sys._getframe(1).f_code.co_filename in PROGRAM:
                    self._note(f"it sets {name}")
            return plain(*given, **named)

        return change

    def vars(self, /, *things: Any, **named: Any) -> Any:
        if not things and not named:
            self._note("it uses vars without an object")
            return sys._getframe(1).f_locals
        found = _names_in(*things, **named)
        if sys._getframe(1).f_code.co_filename not in PROGRAM:
            return found
        self._check(things[0], "__dict__")
        return introspection.result(things[0], "__dict__", found, self._note, self)

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
        if issubclass(type(thing), ModuleType):  # not isinstance, which asks the thing itself for its class
            problem = problem or problem_of_part(thing.__name__.partition(".")[0], name)  # type: ignore[attr-defined]
        dates = issubclass(kind_of(thing), date)
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
        if not self.watching:
            return first, rest
        found = list(rest)
        for is_attribute, name in found:
            if is_attribute:
                self._check(None, name)
        return first, iter(found)

    def _watch_formats(self) -> None:
        module: Any = importlib.import_module("_string")
        self._parse, self._split = module.formatter_parser, module.formatter_field_name_split
        module.formatter_field_name_split = self._parts
        kind = sys.modules["logging"].StrFormatStyle
        plain = kind._format

        def looked(style: Any, record: Any) -> Any:
            if issubclass(type(style._fmt), str):
                self._look(_exact(style._fmt))
            return plain(style, record)

        kind._format = looked


def _shown(thing: Any) -> str:
    return thing.__name__ if issubclass(type(thing), ModuleType) else type(thing).__name__
