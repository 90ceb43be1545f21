"""One number for the engine's behaviour: `python -m tests.engine.machine.signature` prints it, a test holds it.

It digests the programs and the complete random logs of the named games, of a game with every construct, and of
generated games. A commit that changes it says so ("Signature: ..."), any other commit has no functional change.
"""

from __future__ import annotations

import hashlib

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.rules.named import NAMED
from tests.specs import every_construct

GENERATED = range(40)
EPISODES = 250


def signature() -> str:
    """16 hex digits."""
    digest = hashlib.blake2b(digest_size=8)
    specs = [make() for make in NAMED.values()] + [every_construct()] + [generate(seed) for seed in GENERATED]
    for spec in specs:
        program = compile_spec(spec)
        digest.update(program.digest.encode())
        for column in rollout(program, EPISODES, streams(1)):
            digest.update(column.tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    print(signature())
