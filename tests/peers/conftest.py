"""A test file is left out only where the development requirements leave its library out: no wheels for the machine.

Where the library is required but missing, the file is collected and fails.
"""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

HERE = Path(__file__).parent
LIBRARIES = {  # by file
    "test_gambit.py": ("pygambit", "open-spiel"),
    "test_gymnasium.py": ("gymnasium",),
    "test_openspiel.py": ("open-spiel",),
    "test_openspiel_games.py": ("open-spiel",),
    "test_pettingzoo.py": ("pettingzoo",),
    "test_solver_peers.py": ("pygambit", "open-spiel"),
}


def required() -> dict[str, bool]:
    """The development requirements by name, and whether they hold on this machine."""
    text = (HERE.parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    groups = tomllib.loads(text)["dependency-groups"]
    group = [Requirement(line) for line in [*groups["test"], *groups["all"]] if isinstance(line, str)]
    return {found.name: found.marker is None or found.marker.evaluate() for found in group}


assert set(LIBRARIES) == {path.name for path in HERE.glob("test_*.py")}
_required = required()
collect_ignore = [file for file, names in LIBRARIES.items() if not all(_required[name] for name in names)]
