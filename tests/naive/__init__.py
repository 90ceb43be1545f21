"""A plain interpreter of game specs: the reference against which the compiled engine is tested (design decision D5).

It reads a `GameSpec` directly and shares nothing with the compiler but the spec and the event definitions.
"""

from .choosers import RandomChooser, ScriptChooser, every_playout
from .interpreter import play
from .state import Chooser, Decision, Playout, Row
from .views import view

__all__ = [
    "Chooser",
    "Decision",
    "Playout",
    "RandomChooser",
    "Row",
    "ScriptChooser",
    "every_playout",
    "play",
    "view",
]
