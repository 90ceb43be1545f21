"""One game played decision by decision, for models, people and bots.

game        the data that all matches of a game share
match       a match in play: the seat to move, the menu, applying a choice, the result
menu        named options or a range of amounts, and the meaning of a submitted choice
view        the events that one seat was informed of
wording     these events in sentences
prompt      the prompts for a language model
transcript  the record of a match
replay      playing a transcript again
"""

from antemill.engine.match.errors import IllegalChoiceError, MatchError, MatchOverError, ReplayError
from antemill.engine.match.game import Game
from antemill.engine.match.match import Draw, Keys, Match, Numbers, Piles, Played, Result
from antemill.engine.match.menu import Menu, Reason
from antemill.engine.match.replay import replay
from antemill.engine.match.transcript import DecisionRecord, EventRecord, Transcript, read_transcript
from antemill.engine.match.view import View

__all__ = [
    "DecisionRecord",
    "Draw",
    "EventRecord",
    "Game",
    "IllegalChoiceError",
    "Keys",
    "Match",
    "MatchError",
    "MatchOverError",
    "Menu",
    "Numbers",
    "Piles",
    "Played",
    "Reason",
    "ReplayError",
    "Result",
    "Transcript",
    "View",
    "read_transcript",
    "replay",
]
