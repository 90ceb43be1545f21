"""The players that can sit at the table.

observation  what a player gets when it has to choose
player       the protocol, and the loop that plays a match between two
scripted     random, passive, aggressive
policy       policies of arrays: mixed, L1
solved       saved policies   (solving: those that are solved when they sit down, `cfr` and `best`)
registry     bots by name
human        a person at the terminal; table draws what they see
"""

from antemill.tournament.players.observation import Observation, StaleObservationError
from antemill.tournament.players.player import Choice, Player, play
from antemill.tournament.players.policy import PolicyPlayer
from antemill.tournament.players.registry import BOTS, make_bot, make_bots

__all__ = [
    "BOTS",
    "Choice",
    "Observation",
    "Player",
    "PolicyPlayer",
    "StaleObservationError",
    "make_bot",
    "make_bots",
    "play",
]
