"""Names of our games for `gymnasium.make` and `gymnasium.make_vec`.

    import antemill
    import gymnasium
    gymnasium.make("antemill/Kuhn-v0", opponent="cfr")
    gymnasium.make_vec("antemill/Game-v0", num_envs=64, game="9")

Importing antemill registers them, in either order of the two imports, and does not import gymnasium.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

GAMES = {
    "Kuhn": "kuhn",
    "Leduc": "leduc",
    "AppendixB": "appendix-b",
    **{f"Starter{number}": f"starter-{number}" for number in range(1, 6)},
    "Game": None,  # any game: the argument `game`
}
_MODULE = "antemill.tournament.adapters.single"


def register() -> None:
    """Register the names with gymnasium, which must be installed."""
    from gymnasium.envs import registration

    for name, game in GAMES.items():
        if f"antemill/{name}-v0" not in registration.registry:
            registration.register(
                f"antemill/{name}-v0",
                entry_point=f"{_MODULE}:env",
                vector_entry_point=f"{_MODULE}:vector",
                kwargs={} if game is None else {"game": game},
            )


def register_with_gymnasium() -> None:
    """Register the names: at once if gymnasium has been imported, else when it is."""
    if sys.modules.get("gymnasium") is not None:
        register()
    else:
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds gymnasium and has it loaded by `_Loader`, however often somebody only looks whether it is installed."""

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002
        """Gymnasium's spec, if it is installed."""
        if fullname != "gymnasium":
            return None
        spec = PathFinder.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)
        return spec


class _Loader(Loader):
    """Registers the names after gymnasium has been loaded."""

    def __init__(self, real: Loader, finder: MetaPathFinder) -> None:
        self._real = real
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the real loader."""
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Load the module with the real loader, which stays its loader, and register the names."""
        assert module.__spec__ is not None
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        module.__spec__.loader = module.__loader__ = self._real
        self._real.exec_module(module)
        register()
