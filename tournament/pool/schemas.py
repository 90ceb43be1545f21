"""The columns of a pool's scores and of benchmarks; they follow from the list of axes."""

from __future__ import annotations

import pyarrow as pa

from antemill.axes.budgets import TIERS as PLAYED
from antemill.axes.exact.tier import EXACT
from antemill.axes.scores import ALSO, FIGURES
from antemill.axes.table import AXES
from antemill.engine.storage.store import CANDIDATES, GAMES, HAS, PROGRAM, FileKind


def _scores(prefix: str = "") -> list[pa.Field]:
    """The axes (null where not scored), figures of the random play, and the version of the axes that computed them."""
    counts = pa.field(f"{prefix}information_states", pa.int64())
    version = pa.field(f"{prefix}axes_version", pa.string())
    return [*(pa.field(prefix + name, pa.float64()) for name in (*AXES, *FIGURES, *ALSO)), counts, version]


_KEY = [
    pa.field("seed", pa.int64(), nullable=False),
    pa.field("digest", pa.string(), nullable=False),
    pa.field("tier", pa.string(), nullable=False),
]
_LENGTH = pa.field("rulebook_length", pa.int32())  # characters (G43)
_RANK = pa.field("rank", pa.int32(), nullable=False)
_BUILDER = pa.field("builder", pa.string(), nullable=False)
_CONSTRUCTS = pa.field("constructs", pa.list_(pa.string()))  # antemill.engine.rules.constructs
_CANDIDATE = [field for field in CANDIDATES.schema if field.name not in (*HAS.values(), "canonical_digest")]
_DIGESTS = [GAMES.schema.field(name) for name in ("rules_digest", "canonical_digest")]

# Of the exact tier. `exact_tier` is the tier by which the game was scored.
_EXACT = [pa.field(f"{EXACT.name}_tier", pa.string()), *_scores(f"{EXACT.name}_")]

# A second play at the precise tier, which tells how large the errors of the first are.
AGAIN = tuple(f"precise_again_{axis}" for axis in AXES)
_AGAIN = [pa.field(name, pa.float64()) for name in AGAIN]

SCORE_COLUMNS = tuple(field.name for field in _scores())
SCORES = FileKind("scores", pa.schema([*_KEY, *_scores(), _LENGTH]))
BENCHMARK = FileKind(
    "benchmark",
    pa.schema(
        [
            _RANK,
            *_CANDIDATE[:2],
            _BUILDER,
            *_CANDIDATE[2:],
            _CONSTRUCTS,
            *_DIGESTS,
            *PROGRAM,
            _LENGTH,
            *(field for tier in PLAYED for field in _scores(f"{tier}_")),
            *_EXACT,
            *_AGAIN,
        ]
    ),
)
