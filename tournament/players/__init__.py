"""The players that can sit at the table.

observation  the knowledge of a player at a decision
player       the protocol, and the loop that plays a match between two
scripted     random, passive, aggressive
policy       policies stored in arrays: mixed, L1
solved       saved policies   (solver_players: `cfr` and `best`, which solve the game when they are made)
registry     bots by name
human        a person at the terminal; terminal_table draws the person's view
consequences what a person is asked: the choices, their prices and what they lead to; ending: how a match ended
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
