"""Imports go one way: engine <- axes, solver <- tournament; llm imports none of ours (design, "Imports go one way")."""

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.imports import PACKAGES, ROOT, Source, imports, project_sources, sources

MAY_IMPORT = {
    "engine": {"engine"},
    "axes": {"engine", "axes"},
    "solver": {"engine", "solver"},
    "llm": {"llm"},
    "tournament": {"engine", "axes", "solver", "llm", "tournament"},
}
OURS = {*PACKAGES, "tests", "benches"}
NAIVE_MAY_IMPORT = ("engine.rules.spec", "engine.machine.events", "tests.naive")


def layer_violations(source: Source) -> list[str]:
    """Imports at any depth, also those for type checkers, of a package of ours that this one must not know."""
    allowed = MAY_IMPORT[source.module.partition(".")[0]]
    return [
        f"{source.module}:{found.line} imports {found.target}"
        for found in imports(source)
        if found.module.partition(".")[0] in OURS - allowed
    ]


def naive_violations(source: Source) -> list[str]:
    """What the naive interpreter shares with the code that it checks, beyond the definition of the rules."""
    return [
        f"{source.module}:{found.line} imports {found.target}"
        for found in imports(source)
        if found.module.partition(".")[0] in OURS
        and not any(f"{found.target}.".startswith(f"{allowed}.") for allowed in NAIVE_MAY_IMPORT)
    ]


def import_cycle(modules: list[Source]) -> list[str]:
    """A cycle among the imports that run when a module is imported (names, first one repeated at the end), or []."""
    names = {source.module for source in modules}
    graph = {
        source.module: {
            found.target if found.target in names else found.module
            for found in imports(source)
            if not (found.in_function or found.for_typing)
        }
        & (names - {source.module})
        for source in modules
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle
    return []


def test_every_package_imports_only_what_lies_below_it() -> None:
    assert [line for source in project_sources() for line in layer_violations(source)] == []


def test_the_naive_interpreter_shares_only_the_definition_of_the_rules() -> None:
    modules = sources(ROOT / "tests" / "naive")
    assert len(modules) > 1
    assert [line for source in modules for line in naive_violations(source)] == []


def test_no_import_cycles() -> None:
    assert import_cycle(project_sources()) == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("engine.machine.vm", "import axes"),
        ("engine.machine.vm", "import numpy, solver.cfr as cfr"),
        ("engine.machine.vm", "from tests.naive import play"),
        ("axes.risk", "from solver.cfr import solve"),
        ("axes.risk", "def f():\n    from tournament import cli"),
        ("solver.tree", "class A:\n    def f(self):\n        import axes.risk"),
        ("solver.tree", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from axes import risk"),
        ("llm.openai", "try:\n    from engine.rules import spec\nexcept ImportError:\n    pass"),
        ("llm.openai", "import importlib\nspec = importlib.import_module('engine.rules.spec')"),
        ("tournament.cli", "import benches.rollout"),
    ],
)
def test_an_import_across_or_up_is_found(module: str, text: str) -> None:
    assert len(layer_violations(Source(module, text))) == 1


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (
            "engine.machine.vm",
            "from . import spec\nfrom .spec import Deal\nimport engine.machine.events\nimport axes_of_rotation",
        ),
        ("axes.risk", "from engine.machine.rollout import play\nfrom axes.logs import rows"),
        ("solver.tree", "import numpy as np\nfrom engine import vm"),
        ("tournament.cli", "import engine, axes, solver, llm\nfrom tournament import report"),
    ],
)
def test_an_import_within_or_down_is_allowed(module: str, text: str) -> None:
    assert layer_violations(Source(module, text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "import engine",
        "from engine.compiler import compile",
        "from engine.machine.vm import advance",
        "from ..kuhn import spec",
    ],
)
def test_what_the_naive_interpreter_must_not_share_is_found(text: str) -> None:
    assert len(naive_violations(Source("tests.naive.play", text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "from engine.rules.spec import Deal",
        "from engine.machine import events",
        "from . import state",
        "import engine.rules.spec, random",
    ],
)
def test_what_the_naive_interpreter_may_share_is_allowed(text: str) -> None:
    assert naive_violations(Source("tests.naive.play", text)) == []


def test_an_import_cycle_is_found() -> None:
    a = Source("engine.a", "from engine import b")
    b = Source("engine.b", "from .c import f")
    c = Source("engine.c", "import engine.a")
    assert set(import_cycle([a, b, c])) == {"engine.a", "engine.b", "engine.c"}
    assert import_cycle([a, b]) == []


@pytest.mark.parametrize(
    "late",
    ["def f():\n    import engine.a", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from engine import a"],
)
def test_an_import_that_runs_later_or_never_makes_no_cycle(late: str) -> None:
    assert import_cycle([Source("engine.a", "import engine.b"), Source("engine.b", late)]) == []


def test_relative_imports_are_resolved_from_modules_and_packages() -> None:
    text = "from . import x\nfrom ..y import z"
    assert [found.target for found in imports(Source("engine.p.m", text))] == ["engine.p.x", "engine.y.z"]
    assert [found.target for found in imports(Source("engine.p", text, is_package=True))] == [
        "engine.p.x",
        "engine.y.z",
    ]
