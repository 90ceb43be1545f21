"""As `tournament.pool.loaded`, of workers that build and do not score."""

from tournament.pool.warm import load

load(scoring=False)
