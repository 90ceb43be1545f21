"""The reference of the commands, by cyclopts, and of the Python API, which pdoc makes of docstrings: `build/reference`.

    python -m docs.reference [FOLDER]

It is strict. Every name of a package's `__all__`, and every method and property of its classes, has a docstring; a
constant has one or a comment. A name in backticks that begins with `antemill.` exists. A warning of pdoc's is an error,
but for types that only a type checker can look up, which are printed as they are written.
A field may go without words where its name and its type say it all.

Our docstrings are plain text, which is nearly Markdown. What is not is rewritten here: `name: what it means` becomes an
item of a list, and so do lines in two columns.
"""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import pdoc
from pdoc.doc import Class, Doc, Function, Module, Variable

from antemill.tournament.cli.app import app

PACKAGES = (
    "antemill",
    "antemill.engine",
    "antemill.axes",
    "antemill.solver",
    "antemill.tournament.statistics",
    "antemill.tournament.adapters",
    "antemill.tournament.runs",
    "antemill.llm",
)
_COLUMNS = re.compile(r"(\S+(?: \S+)*?) {2,}(\S.*)")
_WORDS = re.compile(r"(?:^|(?<=[.;] ))([a-z_]\w*(?:, [a-z_]\w*)*): ", re.MULTILINE)
_ALIAS = "Alias for field number "  # how Python's docstring of a named tuple's field begins
_UNREAD = "Error parsing type annotation "  # how pdoc's warning of such a type begins
_ESCAPED = r"\\\1"  # a character of Markdown that stands for itself
_ANY = "numpy.ndarray[tuple[typing.Any, ...], numpy.dtype[typing.Any]]"  # how pdoc prints numpy's type of any array
_ARRAY = re.compile(r"(?:<[^>]*>)*".join(map(re.escape, re.findall(r"\w+|\W", _ANY))))  # with the tags of its colours
_QUOTED = re.compile(r"`(antemill(?:\.\w+)+)`")
_FIELD = re.compile(r"\s+(\w+)\s*:[^#]*#\s*(.+)")
_ASSIGNED = r'((?:^#.*\n)*)^{}\b[^\n=]*=[^#\n]*(?:#\s*(.+))?\n(?:"""((?:.|\n)*?)""")?'  # and what stands around it


# ---------------------------------------------------------------------------------------- what is documented


class Package(Module):
    """A package as its `__all__` shows it: names that are imported when they are used, kernels as plain functions."""

    @cached_property
    def submodules(self) -> list[Module]:
        """The packages of the reference that stand below this one, for the list at the side."""
        below = [name for name in PACKAGES if name.startswith(f"{self.fullname}.")]
        return [Package(import_module(name)) for name in below]

    @cached_property
    def _member_objects(self) -> dict[str, Any]:
        names = [name for name in getattr(self.obj, "__all__", ()) if not name.startswith("_")]
        found = {name: inspect.unwrap(_plain(getattr(self.obj, name))) for name in names}
        return {name: one for name, one in found.items() if not isinstance(one, ModuleType)}


def _plain(found: Any) -> Any:
    """The Python function behind a kernel; anything else is returned as it is.

    A named tuple's constructor gets the types of its fields, which it only knows by names of their module.
    """
    if isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields"):
        found.__new__.__annotations__ = get_type_hints(found)
    return getattr(found, "py_func", found)


def members(package: Module) -> Iterator[Doc[Any]]:
    """What readers of a package see: its names, and the methods, properties and fields of its classes."""
    for member in package.members.values():
        yield member
        if isinstance(member, Class):
            own = [one for one in member.own_members if not one.name.startswith("_")]
            yield from (one for one in own if one.name in vars(member.obj) or isinstance(one, Variable))


def describe(package: Module) -> None:
    """Rewrite the docstrings of a package as Markdown, and take in what stands in comments behind fields."""
    package.docstring = as_markdown(package.docstring, set())
    for member in package.members.values():
        names = _names(member)
        if isinstance(member, Class) and member.obj.__doc__ in (None, _made_up(member.obj)):
            member.docstring = ""
        if isinstance(member, Variable) and not member.docstring:
            member.docstring = _beside_assignment(package, member.name)
        if isinstance(member, Class):
            behind = _behind_fields(member.obj)
            for one in member.own_members:
                if isinstance(one, Variable) and (not one.docstring or one.docstring.startswith(_ALIAS)):
                    one.docstring = behind.get(one.name, "")
                one.docstring = as_markdown(one.docstring, _names(one))
        member.docstring = as_markdown(member.docstring, names)


def _made_up(made: type) -> str:
    """The docstring that Python gives a named tuple or a dataclass without one."""
    if hasattr(made, "_fields"):
        return f"{made.__name__}({', '.join(made._fields)})"
    return made.__name__ + str(inspect.signature(made)).replace(" -> None", "") if is_dataclass(made) else ""


def _names(member: Doc[Any]) -> set[str]:
    """The names of a function's arguments, or of a class's members and of what it is made with."""
    if isinstance(member, Function):
        return set(member.signature.parameters)
    if isinstance(member, Class):
        made = member.members.get("__init__")
        return {*member.members, *(_names(made) if made else ())}
    return set()


def _behind_fields(made: type) -> dict[str, str]:
    """The comments behind the fields of a class, by field."""
    try:
        lines = inspect.getsource(made).splitlines()
    except (OSError, TypeError):
        return {}
    return {match[1]: match[2] for line in lines if (match := _FIELD.fullmatch(line))}


def _beside_assignment(package: Module, name: str) -> str:
    """What is said of a constant where it is assigned: above it, behind it or below it."""
    ours = package.fullname.partition(".")[0]
    homes = [module for at, module in list(sys.modules.items()) if at.partition(".")[0] == ours]
    wanted = re.compile(_ASSIGNED.format(name), re.MULTILINE)
    value = getattr(package.obj, name)
    for home in homes:
        if vars(home).get(name) is value and (match := wanted.search(inspect.getsource(home))):
            above = " ".join(line.removeprefix("#").strip() for line in match[1].splitlines())
            return match[3] or match[2] or above
    return ""


# ---------------------------------------------------------------------------------------- how it is written


def as_markdown(text: str, names: set[str]) -> str:
    """A docstring as Markdown. names: arguments or fields, whose meaning the text gives as `name: meaning`."""
    return "\n\n".join(_paragraph(part, names) for part in text.split("\n\n"))


def _paragraph(text: str, names: set[str]) -> str:
    lines = text.splitlines()
    if lines and lines[0].startswith("    "):
        return text  # code
    if lines and _COLUMNS.fullmatch(lines[0]):
        return "\n".join(_row(line) for line in lines)

    def item(match: re.Match[str]) -> str:
        words = match[1].split(", ")
        return f"\n\n- **{match[1]}**: " if names.issuperset(words) else match[0]

    return _WORDS.sub(item, text).strip("\n")


def _row(line: str) -> str:
    """A line in two columns as an item; any other goes on with the item before it."""
    match = _COLUMNS.fullmatch(line.strip())
    return f"- **{re.sub('([*_])', _ESCAPED, match[1])}**: {match[2]}" if match else f"  {line.strip()}"


# ---------------------------------------------------------------------------------------- what is wrong


def problems(package: Module) -> list[str]:
    """What a strict build refuses, one sentence each. package: after `describe`."""
    found = [f"{package.fullname} has no docstring"] if not package.docstring else []
    for member in members(package):
        if not member.docstring.strip() and not _is_field(package, member):
            found.append(f"{member.fullname} is public and has no docstring")
    for where in (package, *members(package)):
        found += [
            f"{where.fullname} refers to `{name}`, which does not exist"
            for name in _QUOTED.findall(where.docstring)
            if not exists(name)
        ]
    return found


def _is_field(package: Module, member: Doc[Any]) -> bool:
    """Whether it is a plain attribute of a class."""
    home = package.get(member.qualname.rpartition(".")[0]) if "." in member.qualname else None
    if home is None or not isinstance(member, Variable):
        return False
    return not isinstance(inspect.getattr_static(home.obj, member.name, None), property | cached_property)


def exists(name: str) -> bool:
    """Whether a dotted name is a module or can be read from one."""
    parts = name.split(".")
    found: Any = import_module(parts[0])
    for number, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            try:
                import_module(".".join(parts[:number]))
            except ImportError:
                return False
        found = getattr(found, part)
    return True


def build(folder: Path, names: tuple[str, ...] = PACKAGES) -> list[str]:
    """Write the pages of the packages into a folder; returns what is wrong with them."""
    pdoc.render.configure(docformat="markdown", show_source=False, footer_text="Antemill")
    packages = {name: Package(import_module(name)) for name in names}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for package in packages.values():
            describe(package)
        found = [wrong for package in packages.values() for wrong in problems(package)]
        for name, package in packages.items():
            path = folder / (name.replace(".", "/") + ".html")
            path.parent.mkdir(parents=True, exist_ok=True)
            page = _ARRAY.sub("numpy.ndarray", pdoc.render.html_module(package, packages))
            path.write_text(page, encoding="utf-8")
        (folder / "index.html").write_text(pdoc.render.html_index(packages), encoding="utf-8")
        (folder / "search.js").write_text(pdoc.render.search_index(packages), encoding="utf-8")
    return found + [said for one in caught if not (said := str(one.message)).startswith(_UNREAD)]


def main(words: list[str]) -> int:
    """Build, and print what is wrong. Returns the exit code."""
    folder = Path(words[0] if words else "build/reference")
    wrong = build(folder)
    (folder / "commands.html").write_text(app.generate_docs("html", flatten_commands=True), encoding="utf-8")
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print(f"Open {folder / 'index.html'} and {folder / 'commands.html'}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
