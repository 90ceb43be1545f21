"""As `antemill.tournament.pool.loaded`, of workers that build and do not score."""

from antemill.tournament.pool.warm import load

load(scoring=False)
