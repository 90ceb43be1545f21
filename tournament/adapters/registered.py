"""Names of our games for gymnasium.

    gymnasium.make("antemill:antemill/Kuhn-v0", opponent="cfr")
    gymnasium.make_vec("antemill:antemill/Game-v0", num_envs=64, game="9")

Gymnasium imports what stands before the colon, and antemill, where it finds gymnasium imported, registers its names, as
the first environment does. Where antemill was imported before gymnasium and made none, `register()` does it.
"""

from __future__ import annotations

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
