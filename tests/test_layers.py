"""Imports go one way: `make lint` holds the project to the contracts in pyproject.toml (design, "Imports go one way").

Here is what contracts cannot say, and that they notice what they are for.
"""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.imports import PACKAGES, ROOT, Source, copy_packages, imports, project_sources, sources

OURS = {"antemill", *PACKAGES, "tests", "benches"}
NAIVE_MAY_IMPORT = ("antemill.engine.rules.spec", "antemill.engine.machine.events", "tests.naive")


def naive_violations(source: Source) -> list[str]:
    """What the naive interpreter shares with the code that it checks, beyond the definition of the rules."""
    return [
        f"{source.module}:{found.line} imports {found.target}"
        for found in imports(source)
        if found.module.partition(".")[0] in OURS
        and not any(f"{found.target}.".startswith(f"{allowed}.") for allowed in NAIVE_MAY_IMPORT)
    ]


def test_the_naive_interpreter_shares_only_the_definition_of_the_rules() -> None:
    modules = sources(ROOT / "tests" / "naive")
    assert len(modules) > 1
    assert [line for source in modules for line in naive_violations(source)] == []


UP = [
    ("engine/machine/vm.py", "import antemill.axes", "antemill.engine.machine.vm -> antemill.axes"),
    (
        "axes/risk.py",
        "def f():\n    from antemill.tournament import cli",
        "antemill.axes.risk -> antemill.tournament.cli",
    ),
    ("axes/risk.py", "from antemill import solver", "antemill.axes.risk -> antemill.solver"),
    (
        "llm/types.py",
        "try:\n    from antemill.engine import errors\nexcept ImportError:\n    pass",
        "antemill.llm.types -> antemill.engine.errors",
    ),
    ("solver/__init__.py", "import antemill.llm.types", "antemill.solver -> antemill.llm.types"),
    (
        "solver/game.py",
        "def f():\n    from antemill.solver.policies import policy",
        "antemill.solver.game -> antemill.solver.policies.policy",
    ),
    (
        "engine/rules/spec/game.py",
        "import antemill.engine.machine.layout",
        "antemill.engine.rules.spec.game -> antemill.engine.machine.layout",
    ),
    (
        "tournament/statistics/matches.py",
        "import antemill.tournament.cli",
        "antemill.tournament.statistics.matches -> antemill.tournament.cli",
    ),
    ("tournament/novelty.py", "", "antemill.tournament.novelty"),
    ("llm/model.py", "def f():\n    import antemill.llm.models", "No cycles are allowed in antemill.llm."),
]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    copy_packages(root)
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


def linted(root: Path) -> str:
    """What the contracts say of a copy of the project."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONSAFEPATH": "1", "COLUMNS": "200"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    return done.stdout


def test_the_project_keeps_its_contracts_and_breaches_are_found(copied: Path) -> None:
    assert re.search(r"Contracts: [1-9]\d* kept, 0 broken", linted(copied))
    for file, line, _ in UP:
        with (copied / "antemill" / file).open("a") as target:
            target.write(f"\n{line}\n")
    report = linted(copied)
    assert "Contracts: 0 kept" in report
    assert [finding for _, _, finding in UP if finding not in report] == []


@cache
def parts_of(package: str) -> frozenset[str]:
    """The names of the modules and packages right below one of the five."""
    return frozenset(path.stem for path in ROOT.joinpath(*package.split(".")[1:]).iterdir())


def around(source: Source) -> list[str]:
    """Imports of a module's own package through the facade, which names modules of all its parts."""
    package = ".".join(source.module.split(".")[:2])
    if not re.search(rf"\b{re.escape(package)}\b(?!\.)|\bfrom\s+\.", source.text):
        return []
    parts = parts_of(package)
    return [
        f"{source.module}:{found.line} imports {found.target}"
        for found in imports(source)
        if found.module == package and found.name not in parts
    ]


def test_no_module_goes_through_the_facade_of_its_own_package() -> None:
    assert [line for source in project_sources() for line in around(source)] == []
    assert (
        len(around(Source("antemill.solver.trees.build", "def f():\n    from antemill.solver import build_tree"))) == 1
    )
    assert around(Source("antemill.engine.machine.vm", "from antemill.engine import kernel")) == []
