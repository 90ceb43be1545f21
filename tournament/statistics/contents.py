"""The statistics of a tournament: every table that `antemill analyze` writes.

Each is registered where it is computed, in one of the modules imported here. A new table is a function in one of them.
"""

from __future__ import annotations

from antemill.tournament.statistics import (
    analysis,
    tables_disguises,
    tables_games,
    tables_jaggedness,
    tables_play,
    tables_profiles,
    tables_stability,
    tables_strength,
)

MODULES = (
    *(tables_strength, tables_profiles, tables_jaggedness, tables_games, tables_stability, tables_play),
    tables_disguises,
)
STATISTICS = analysis.statistic
