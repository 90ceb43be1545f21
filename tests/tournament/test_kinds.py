"""Every kind of runs has what commands, pages and demonstrations call, and nothing else names them."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from pathlib import Path

import pytest

from antemill.tournament.cli import kinds as commands
from antemill.tournament.demo import demo_text
from antemill.tournament.kinds import KINDS
from antemill.tournament.pages.assets import script
from antemill.tournament.runs import RunConfig
from antemill.tournament.runs.config import parse_config
from antemill.tournament.runs.items import Entry
from antemill.tournament.templates import template

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_has_all_its_parts(name: str) -> None:
    kind = KINDS[name]
    with kind.part("kind").run_type() as found:
        assert found.name == name
        assert issubclass(found.config, RunConfig)
        assert name in found.config.__struct_fields__  # the table of its configuration
        for text in (template(name), demo_text(kind)):
            assert parse_config(text.encode(), found.config, name)
            assert name in tomllib.loads(text)
    required = [
        parameter.name
        for parameter in inspect.signature(kind.part("analyze").analyze).parameters.values()
        if parameter.default is parameter.empty
    ]
    assert required == ["folder"]
    assert ("prior" in inspect.signature(kind.part("report").report).parameters) == kind.rated
    overview = [*inspect.signature(kind.part("report").overview_of).parameters.values()]
    assert [one.name for one in overview if one.default is one.empty] == ["folder"]
    shown = inspect.signature(kind.part("items").items).parameters
    assert len(shown) == 3
    assert f"\nantemill.kinds.{name} = {{" in script()


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_s_own_commands_exist(name: str) -> None:
    module = ast.parse((ROOT / "tournament" / "cli" / f"{name}.py").read_text())
    functions = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    own = {one.name for one in KINDS[name].commands}
    assert own <= functions
    assert "analyze" in own
    shared = {one.name for one in commands.shared_commands(KINDS[name])}
    assert all(one.help for one in KINDS[name].commands if one.name not in shared)


def test_kinds_are_named_in_one_place() -> None:
    """Outside of its package, its commands and its benchmarks a kind's name is no literal but in the table.

    The table in the browser is a part of the card tournament.
    """
    benchmarks = ROOT / "tournament" / "bench" / "playing.py"
    own = {
        ROOT / "tournament" / "kinds.py",
        benchmarks,
        ROOT / "tournament" / "bench" / "growth.py",
        ROOT / "tournament" / "cli" / "play_in_browser.py",
        ROOT / "tournament" / "statistics" / "inspect_logs.py",  # names of Inspect's tasks
        ROOT / "tournament" / "runs" / "inspect_log.py",  # "eval" is a format of Inspect's,
        ROOT / "tournament" / "pool" / "where.py",  # and a mode of Python's parser
        *(ROOT / "tournament" / "cli" / f"{name}.py" for name in KINDS),
    }
    packages = [ROOT / Path(*kind.package.split(".")[1:]) for kind in KINDS.values()]
    packages += [ROOT / "tournament" / "play", ROOT / "tournament" / "inspect_tasks"]  # other ways to run some kinds
    for file in (ROOT / "tournament").rglob("*.py"):
        if file in own or any(package in file.parents for package in packages):
            continue
        nodes = list(ast.walk(ast.parse(file.read_text())))
        named = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        allowed = {"tournament"} if file.name == "demo.py" else set()  # it names the next command
        assert not (named & set(KINDS)) - allowed, file
        assert not [module for module in imported if module.startswith(tuple(k.package for k in KINDS.values()))], file


@pytest.mark.parametrize("name", KINDS)
def test_a_page_sorts_and_filters_by_columns_that_the_server_knows(name: str) -> None:
    """Else the server refuses what its own page asks for."""
    text = (
        ROOT / "tournament" / "pages" / f"{ {'tournament': 'matches', 'duel': 'duels'}.get(name, name) }.js"
    ).read_text()
    listed = re.search(r"const filters = \[(.*?)\n\];", text, re.S)
    columns = re.search(r"const columns = \[(.*?)\n\];", text, re.S)
    assert listed is not None
    assert columns is not None
    asked = set(re.findall(r'\{ key: "(\w+)"', listed[1])) | set(
        re.findall(r'\{ key: "(\w+)"[^\n]*sort: true', columns[1])
    )
    module = KINDS[name].part("items")
    [items] = [one for one in vars(module).values() if hasattr(one, "measures") and one.__module__ == module.__name__]
    known = {*Entry.__struct_fields__, *items.facets, *items.measures, "search", "status"}
    assert asked <= known
