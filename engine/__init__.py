"""The game engine: rules as data, compiled to integer tables and played by one numba virtual machine.

The rooms in the order in which a game passes through them:

rules      what a game is, which games are legal, games that are known by name
builder    a game from a seed
compiler   a game to a program of the machine
machine    the program, its state, the virtual machine, and what drives it: rollouts, branches, the gate
text       playouts, rulebooks and the extensive form, for people and for other programs
match      one game between two players, one decision at a time
vector     what learners see of many episodes, as arrays
storage    files that are complete or absent, and pools in Parquet
execute    work in threads, processes and clusters, and the sandbox for programs that nobody trusts

Below all of them are `errors`, `facade` (what makes a package lazy), `seeding` (random numbers), `digests` (what code
means), and `kernel` with `kernel_cache` (what compiles, and where that is kept, below `cache_root`). Imports none of
our other packages.
The names below can be imported from here; whatever stands behind them is loaded when it is first asked for, since numba
alone takes longer to load than most commands run.
"""

from typing import TYPE_CHECKING

from antemill.engine.facade import lazily

if TYPE_CHECKING:
    from antemill.engine.builder.generate import generate
    from antemill.engine.compiler.compile import compile_spec
    from antemill.engine.machine.gate import gate
    from antemill.engine.machine.lanes import Lanes
    from antemill.engine.machine.rollout import rollout, streams
    from antemill.engine.rules.canonical.digests import canonical_digest, rules_digest
    from antemill.engine.rules.check import check
    from antemill.engine.rules.named import NAMED
    from antemill.engine.rules.spec import GameSpec, from_json, to_json

__all__ = [
    "NAMED",
    "GameSpec",
    "Lanes",
    "canonical_digest",
    "check",
    "compile_spec",
    "from_json",
    "gate",
    "generate",
    "rollout",
    "rules_digest",
    "streams",
    "to_json",
]

__getattr__, __dir__ = lazily(__name__)
