"""The gate's verdict on a game, as a sentence for the player of the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from antemill.engine.machine.gate import RARE, Gate, gate
from antemill.engine.machine.program import Playable

NO_SEED = 0  # the gate's seed for games that have no seed of their own


def gate_seed(name: str) -> int:
    """The seed with which a pool would gate the game of a GAME argument; `NO_SEED` if the game has none."""
    digits, _, rest = name.partition("@")
    return int(digits) if digits.isdecimal() and not rest.endswith(".json") else NO_SEED


def judged(name: str, program: Playable) -> Gate:
    """The gate's verdict on a game, with the game's own seed. name: as for `gate_seed`. program: the game's."""
    return gate(program, gate_seed(name))


def rejection(name: str, verdict: Gate) -> str:
    """A sentence with the reasons for which the gate rejects a game; "" if the gate accepts it.

    name: the game's name in the sentence, a GAME argument or its label in a run. verdict: on this game.
    """
    if verdict.accepted:
        return ""
    causes = "; ".join(f"{reason}: {_CAUSES[reason](verdict)}" for reason in verdict.broken)
    return f"the gate rejects game {name} ({causes}); it can be played, but no benchmark has it."


_CAUSES: Final[Mapping[str, Callable[[Gate], str]]] = {
    "too many moves": lambda found: f"{found.moves:.1f} a player in a random episode",
    "rare phases": lambda found: (
        f"{found.rare_phases:.0%} of its phases come up in fewer than {RARE:.0%} of random episodes"
    ),
    "dead branches": lambda found: f"{found.dead_branches:.0%} of its branches are never taken in random episodes",
}
