"""The rules of `antemill.engine.rules.check`: a function for each rule, a module for each subject.

Importing the package registers all of them.
"""

from antemill.engine.rules.legality import conditions, game, phases, steps

__all__ = ["conditions", "game", "phases", "steps"]
