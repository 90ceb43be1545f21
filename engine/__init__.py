"""The game engine: rules as data, compiled to integer tables and played by one numba virtual machine.

The packages in the order in which a game passes through them:

rules      the definition of games, their legality, named games
builder    a game from a seed
disguise   the same game under other names
compiler   from a game to a program of the machine
machine    the program, its state, the virtual machine, and its drivers: rollouts, branches, the gate
text       playouts, rulebooks and the extensive form, for people and other programs
match      one game between two players, one decision at a time
vector     observations of many episodes as arrays, for learners
storage    files that are complete or absent, and pools in Parquet
execute    work in threads, processes and clusters, and the sandbox for untrusted programs

public     the functions of all these for users, with checked arguments

All of them use `errors`, `arguments` (checks for public functions), `facade` (lazy packages), `seeding` (random
numbers), `digests` (of the meaning of code), `kernel` with `kernel_forms` and `kernel_cache` (compilation, and its
cache below `cache_root`), `kernel_plain` (small work without machine code) and `wanted` (reports of missing machine
code). The engine imports none of our other packages.

The names below can be imported from this package. Each is loaded at its first use, because numba alone takes longer to
load than most commands run.
"""

from typing import TYPE_CHECKING

from antemill.engine.facade import lazily
from antemill.engine.wanted import on_wanted

if TYPE_CHECKING:
    from antemill.engine.disguise.disguise import Disguise
    from antemill.engine.machine.lanes import Lanes
    from antemill.engine.machine.program import Program
    from antemill.engine.public.games import (
        canonical_digest,
        check,
        compile_spec,
        disguise,
        from_json,
        game,
        generate,
        rules_digest,
        to_json,
    )
    from antemill.engine.public.log import EpisodeLog
    from antemill.engine.public.play import gate, rollout, streams
    from antemill.engine.rules.named import NAMED
    from antemill.engine.rules.spec import GameSpec

__all__ = [
    "NAMED",
    "Disguise",
    "EpisodeLog",
    "GameSpec",
    "Lanes",
    "Program",
    "canonical_digest",
    "check",
    "compile_spec",
    "disguise",
    "from_json",
    "game",
    "gate",
    "generate",
    "rollout",
    "rules_digest",
    "streams",
    "to_json",
]

__getattr__, __dir__ = lazily(__name__)


def _compile_beside(module: str, name: str, signature: tuple[object, ...]) -> None:
    """A kernel runs as Python: let another process compile it."""
    from antemill.engine.execute.later import compile_later

    compile_later(module, name, signature)


on_wanted(_compile_beside)
