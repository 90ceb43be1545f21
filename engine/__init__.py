"""The game engine: rules as data, compiled to integer tables and played by one numba virtual machine.

The packages in the order in which a game passes through them:

rules      what a game is, which games are legal, games that have a name
builder    a game from a seed
compiler   a game to a program of the machine
machine    the program, its state, the virtual machine, and what drives it: rollouts, branches, the gate
text       playouts, rulebooks and the extensive form, for people and other programs
match      one game between two players, one decision at a time
vector     what learners see of many episodes, as arrays
storage    files that are complete or absent, and pools in Parquet
execute    work in threads, processes and clusters, and the sandbox for untrusted programs

public     the functions of all these as users call them, with arguments that are checked

Below all of them are `errors`, `arguments` (of public functions), `facade` (what makes a package lazy), `seeding`
(random numbers), `digests` (what code means), and `kernel` with `kernel_cache` (what compiles, and where that is kept,
below `cache_root`). Imports none of our other packages.
The names below can be imported from here. Each is loaded at its first use, since numba alone takes longer to load than
most commands run.
"""

from typing import TYPE_CHECKING

from antemill.engine.facade import lazily

if TYPE_CHECKING:
    from antemill.engine.machine.lanes import Lanes
    from antemill.engine.machine.program import Program
    from antemill.engine.public.games import (
        canonical_digest,
        check,
        compile_spec,
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
    "EpisodeLog",
    "GameSpec",
    "Lanes",
    "Program",
    "canonical_digest",
    "check",
    "compile_spec",
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
