"""The errors of a match in play.

MatchError             one sentence for the player
├── IllegalChoiceError the choice is not on the menu; nothing has changed
├── MatchOverError     the match has ended
└── ReplayError        a transcript does not belong to this game, or was altered
"""

from antemill.engine.errors import AntemillError


class MatchError(AntemillError):
    """Base class of a match's errors."""


class IllegalChoiceError(MatchError):
    """The choice is not on the menu. The match is as it was before."""


class MatchOverError(MatchError):
    """A decision was requested from a match that has ended."""


class ReplayError(MatchError):
    """A transcript cannot be replayed."""
