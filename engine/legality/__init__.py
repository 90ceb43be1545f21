"""The rules behind `engine.check`: one function each, in one module per kind of subject.

Importing the package registers all of them.
"""

from engine.legality import conditions, game, phases, steps

__all__ = ["conditions", "game", "phases", "steps"]
