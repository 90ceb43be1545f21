"""The rules behind `antemill.engine.rules.check`: one function each, in one module per kind of subject.

Importing the package registers all of them.
"""

from antemill.engine.rules.legality import conditions, game, phases, steps

__all__ = ["conditions", "game", "phases", "steps"]
