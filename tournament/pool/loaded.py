"""Importing this module loads what workers need that build and score (`tournament.pool.warm.load`)."""

from tournament.pool.warm import load

load(scoring=True)
