"""Importing this module loads what workers need that build and score (`antemill.tournament.pool.warm.load`)."""

from antemill.tournament.pool.warm import load

load(scoring=True)
