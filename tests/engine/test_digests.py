"""`engine.digests`: what a digest counts and what not, which modules it covers, and that all Pythons agree."""

import ast
import os
import shutil
from hashlib import blake2b
from pathlib import Path

import pytest

from antemill.engine import cache_root, digests, kernel_cache, kernel_forms, kernel_links, kernel_plain, wanted
from antemill.engine.digests import Meaning, Sources, canonical, modules_below, within
from tests.imports import ROOT, imports, project_sources

# What the versions of Python parse or print differently, or may: strings of all kinds, f-strings above all.
SAMPLE = r'''
"""Docstring."""
from __future__ import annotations
import a.b as c, d
def f(x, /, y: "int" = 1, *rest, key=None, **more) -> tuple[int, ...]:
    """Docstring."""
    first = f"{x!r:>{y}}" f"{y=}" "tail" f"{{braces}} {x:{'a'}^{y}.2f}{''}" f"" 'one' "two" f"{x = !s:^20}" f'{x["k"]}'
    second = f"{f'{1}'!s}{{}}\N{EM DASH}\u00e9\x00{x:%H:%M}" + rf"\d{x}\{y}" if x else ""
    third = b"\xff" b"a", u"old", 1_000, 0x10, 1e999, 1j, ..., None, True, "ŝ🂡\ud800", x[1, 2:3], x[(1,)], x[*rest]
    return (lambda *a, b=2: [i async for i in a if i], {**more, 1: {1, 2}, **{}}, -1 ** 2, not (yield))
class C(A, metaclass=B):
    x: int = 1
    "Docstring of an attribute."
    (y): str
    @property
    async def g(self): return await self
try:
    with open(x) as a, b: pass
except* ValueError as e: raise e from None
match x:
    case {"a": [1, *_], **rest} | C(1, k=None) if x: global z
    case "s" | None | -1 | 1 + 2j: del x, y
    case _: assert x, "why"
for i, *j in x: continue
else: x @= (y := 1)
while x: break
'''
SAMPLE_DIGEST = "30ec23533907806e8d21c6f476f04997"
LEFT_OUT = {
    within(one.__name__)
    for one in (digests, kernel_cache, kernel_forms, kernel_links, kernel_plain, wanted, cache_root)
}
COMPILED = ("engine", "axes", "solver")
KNOWN: dict[str, Meaning] = {}  # of the project's sources, which several tests read


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without packages, in place of the project's."""
    monkeypatch.setattr(digests, "TOP", tmp_path)
    return tmp_path


@pytest.fixture
def copied(top: Path) -> Path:
    """A copy of the packages that are compiled, in place of the project."""
    for package in COMPILED:
        shutil.copytree(ROOT / package, top / package, ignore=shutil.ignore_patterns("*.xz", "__pycache__"))
    return top


def put(top: Path, **texts: str) -> None:
    """Write modules; `engine__vm` is engine/machine/vm.py, `engine__` is engine/__init__.py."""
    for name, text in texts.items():
        *folders, file = name.split("__")
        top.joinpath(*folders).mkdir(parents=True, exist_ok=True)
        top.joinpath(*folders, f"{file or '__init__'}.py").write_text(text)


def covered(module: str) -> set[str]:
    return set(Sources(KNOWN).reached([module]))


# ------------------------------------------------------------------------------------------------ what counts


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x = 1\n", "# why\nx  =  (1)   # so\n\n"),
        ("def f():\n    return 1\n", '"""A."""\ndef f():\n    """B."""\n    return 1\n'),
        ("async def f():\n    'A'\n    await x", "async def f(): await x"),
        ("x = f'a{y}' 'b'", 'x = "" f"a{y}b"'),
        ("x = 16", "x = 0x10"),
        ("class A:\n    x: int\n    def __repr__(self) -> str:\n        return 'a'", "class A:\n    x: int"),
        ("class A:\n    x: int\n    def _repr_html_(self): return f(1)", "class A:\n    x: int"),
        ("class A:\n    def _repr_svg_(self): return 1\n    x: int", "class A:\n    x: int"),
    ],
)
def test_docstrings_comments_and_layout_do_not_count(one: str, two: str) -> None:
    assert canonical(ast.parse(one)) == canonical(ast.parse(two))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x = 1", "x = 2"),
        ("x = 1", "x = 1.0"),
        ("x = 'a'", "x = 'a '"),
        ("x = f'{a}'", "x = f'{a!r}'"),
        ("x = f'{a:2}'", "x = f'{a:3}'"),
        ("f('a')", "f('b')"),
        ("def f(x): return 'a'", "def f(x): return 'b'"),
        ("x = (1, 2)", "x = [1, 2]"),
        ("x - (y - z)", "x - y - z"),
        ("@kernel\ndef f(): pass", "def f(): pass"),
        ("class A:\n    x: int\n    def __str__(self): return 'a'", "class A:\n    x: int"),
        ("class A:\n    x: int\n    def __hash__(self): return 1", "class A:\n    x: int"),
        ("class A:\n    x: int\n    @kept\n    def __repr__(self): return 'a'", "class A:\n    x: int"),
        ("class A:\n    x: int\n    def __repr__(self) -> f(): return 'a'", "class A:\n    x: int"),
        ("class A:\n    x: int\n    async def __repr__(self): return 'a'", "class A:\n    x: int"),
        ("class A:\n    x: int\n    __repr__ = f", "class A:\n    x: int"),
        ("x = 1\ndef __repr__(self): return 'a'", "x = 1"),
        ("def f():\n    def __repr__(self): return 'a'", "def f():\n    pass"),
    ],
)
def test_code_counts(one: str, two: str) -> None:
    assert canonical(ast.parse(one)) != canonical(ast.parse(two))


def test_every_python_gives_the_sample_the_same_digest() -> None:
    """Recorded once; a Python that parses something else, or prints it otherwise, does not reach it."""
    sample = "\n".join(SAMPLE.strip().splitlines())
    assert blake2b(canonical(ast.parse(sample.encode())).encode(), digest_size=16).hexdigest() == SAMPLE_DIGEST


def test_a_source_that_can_not_be_parsed_is_its_bytes(top: Path) -> None:
    put(top, engine__a="from antemill.engine import b\nx =", engine__b="")
    assert covered("engine.a") == {"engine.a"}
    before = Sources().digest(["engine.a"])
    put(top, engine__a="from antemill.engine import b\nx = (")
    assert Sources().digest(["engine.a"]) != before


def test_names_and_order(top: Path) -> None:
    put(top, engine__a="x = 1", engine__b="x = 2", engine__c="x = 2")
    digest = Sources().digest
    assert digest(["engine.a", "engine.b"]) == digest(["engine.b", "engine.a", "engine.b"])
    assert (
        len({digest(["engine.a"]), digest(["engine.b"]), digest(["engine.c"]), digest(["engine.a", "engine.b"])}) == 4
    )
    assert len(digest(["engine.a"], size=16)) == 32
    with pytest.raises(ModuleNotFoundError, match=r"no source of engine\.d"):
        digest(["engine.d"])


# ------------------------------------------------------------------------------------------------ which modules


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("from antemill.engine import b", {"engine.b"}),
        ("from antemill.engine.b import *", {"engine.b"}),
        ("import numpy, antemill.axes.r as r", {"axes.r"}),
        ("def f():\n    if x:\n        from antemill.engine import b", {"engine.b"}),
        ("class A:\n    from antemill.engine import b", {"engine.b"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from antemill.engine import b", set()),
        ("import typing\nif typing.TYPE_CHECKING:\n    import antemill.axes\nelse:\n    from . import b", {"engine.b"}),
        ("if not TYPE_CHECKING:\n    from antemill.engine import b", {"engine.b"}),
        ("class A:\n    def __repr__(self):\n        from antemill.engine import b", set()),
        ("from antemill.engine.p import one", {"engine.p.one", "engine.c"}),
        ("from antemill.engine.p import VALUE", {"engine.p", "engine.p.two", "engine.c"}),
        ("from antemill.engine.lazy import thing", {"engine.lazy", "engine.lazy.inside"}),
        ("from antemill.engine.p import *", {"engine.p", "engine.p.one", "engine.p.two", "engine.c"}),
        ("import antemill.axes", {"axes", "axes.r"}),
        ("from numpy import engine", set()),
        ("import engine.b as b, axes\nfrom engine.b import x", set()),
        ("from antemill.axes.r import x", {"axes.r"}),
    ],
)
def test_what_a_module_imports_is_covered(top: Path, text: str, want: set[str]) -> None:
    put(top, engine__="from .b import x\n", engine__a=text, engine__b="x = 1", engine__c="", axes__="", axes__r="")
    put(top, engine__p__="from antemill.engine.p.two import two, VALUE", engine__p__two="def two(): ...\nVALUE = 1")
    put(top, engine__p__one="from .. import c", engine__lazy__inside="", engine__lazy__="def __getattr__(name): ...")
    (top / "engine" / "p" / "two.py").write_text("from ..c import y\nVALUE = 1\ndef two(): ...")
    assert covered("engine.a") - {"engine.a"} == want


def test_where_code_is_kept_does_not_count() -> None:
    assert "engine.kernel" in covered("engine.machine.vm")
    assert not LEFT_OUT & (covered("engine.machine.vm") | covered("engine.builder.generate"))


def test_nothing_that_an_independent_reader_finds_is_missing() -> None:
    modules = {within(source.module): source for source in project_sources()}
    for module in (
        "engine.builder.generate",
        "axes.scores",
        "engine.machine.gate",
        "solver.solving",
        "tournament.pool.work",
    ):
        found, waiting = set(), [module]
        while waiting:
            name = waiting.pop()
            while name and name not in modules:
                name = name.rpartition(".")[0]
            if name and name not in found:
                found.add(name)
                waiting += [within(each.target) for each in imports(modules[name]) if not each.for_typing]
        assert found - LEFT_OUT <= covered(module)


# ------------------------------------------------------------------------------------------------ this project's


def all_digests() -> dict[str, str]:
    sources = Sources(KNOWN)
    names = [name for package in COMPILED for name in modules_below(package)]
    return {name: sources.digest([name]) for name in names}


def reworded(text: str) -> str:
    """The same code with other docstrings, comments and line breaks."""
    lines = text.replace('"""', '"""Reworded.\n\n', 1).splitlines(keepends=True)
    return "# A comment.\n" + "".join("\n\n" + line if line.startswith(("def ", "class ")) else line for line in lines)


def test_rewording_files_changes_no_digest(copied: Path) -> None:
    before = all_digests()
    assert len(before) > 100
    for path in (*copied.glob("axes/*.py"), *copied.glob("engine/machine/*.py")):
        path.write_text(reworded(path.read_text()))
    assert ast.get_docstring(ast.parse((copied / "engine" / "machine" / "vm.py").read_text())).startswith("Reworded.")  # type: ignore[union-attr]
    assert all_digests() == before


@pytest.mark.parametrize(
    ("edited", "changed", "same"),
    [
        (
            "engine.machine.chance",
            "engine.machine.vm axes.scores solver.trees.build engine.machine.rollout",
            "engine.builder.generate solver.game",
        ),
        ("engine.builder.dial", "engine.builder.generate", "engine.machine.vm axes.scores solver.trees.build"),
        ("axes.risk", "axes.scores", "engine.machine.vm axes.simplex"),
        ("engine.execute.job", "", "engine.builder.generate axes.scores engine.machine.gate solver.trees.build"),
    ],
)
def test_an_edit_changes_the_digests_of_what_imports_it(copied: Path, edited: str, changed: str, same: str) -> None:
    before = all_digests()
    path = copied.joinpath(*edited.split(".")).with_suffix(".py")
    path.write_text(path.read_text() + "\nEDITED = 1\n")
    after = all_digests()
    looked_at = {edited, *changed.split(), *same.split()}
    assert {name for name in looked_at if after[name] != before[name]} == {edited, *changed.split()}


# ------------------------------------------------------------------------------------------------ reading once


def test_sources_stay_as_they_were_read_and_say_so(top: Path) -> None:
    put(top, engine__a="from antemill.engine import b", engine__b="x = 1")
    sources = Sources()
    before = sources.digest(["engine.a"])
    assert not sources.changed(["engine.a"])
    put(top, engine__b="x = 22")
    assert sources.digest(["engine.a"]) == before
    assert sources.changed(["engine.a"])
    assert Sources().digest(["engine.a"]) != before


def test_what_is_known_is_not_parsed_again(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(top, engine__a="from antemill.engine import b", engine__b="x = 1")
    known: dict[str, Meaning] = {}
    before = Sources(known).digest(["engine.a"])
    parsed: list[str] = []
    parse = digests._meaning

    def counted(module: str, is_package: bool, content: bytes) -> Meaning:
        parsed.append(module)
        return parse(module, is_package, content)

    monkeypatch.setattr(digests, "_meaning", counted)
    assert Sources(known).digest(["engine.a"]) == before
    assert parsed == []
    put(top, engine__b="x = 2")
    assert Sources(known).digest(["engine.a"]) != before
    assert parsed == ["engine.b"]
    parsed.clear()
    with monkeypatch.context() as another:
        another.setattr(digests, "_READER", b"that of another version")
        Sources(known).digest(["engine.a"])
    assert sorted(parsed) == ["engine.a", "engine.b"]
    os.replace(top / "engine" / "b.py", top / "engine" / "c.py")  # the same bytes under another name
    put(top, engine__a="from antemill.engine import c")
    assert set(Sources(known).reached(["engine.a"])) == {"engine.a", "engine.c"}
