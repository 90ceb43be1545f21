"""Importing this module loads what workers of a pool need (`antemill.tournament.pool.warm.load`)."""

from antemill.tournament.pool.warm import load

load()
