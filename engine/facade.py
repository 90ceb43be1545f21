"""Lazy packages: a name is imported when it is first used, so that importing the package itself takes no time.

    if TYPE_CHECKING:
        from antemill.solver.game import ExtensiveForm

    __all__ = ["ExtensiveForm"]
    __getattr__, __dir__ = lazily(__name__)

The imports for type checkers are the only list that says which module has a name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazily(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`."""
    module = sys.modules[package]

    def get(name: str) -> Any:
        home = homes(str(module.__file__)).get(name) if name in module.__all__ else None
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)
        vars(module)[name] = found
        return found

    return get, lambda: sorted({*vars(module), *module.__all__})


def homes(file: str) -> dict[str, str]:
    """The names, and the modules from which a package's source imports them for type checkers."""
    import ast  # imported here, because most programs need at most one name

    with open(file, "rb") as source:  # pathlib takes longer to import than everything else here
        block = next(node for node in ast.parse(source.read()).body if isinstance(node, ast.If))
    found = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in found for alias in node.names}
