"""The constructs of which games can be made: those of the paper's generator, by plain names.

`antemill.engine.rules.made_of` says which of them a game has. Pools record them for every candidate. So a pool shows
whether the gate rejects all games with some construct. Each belongs to a requirement (README, "Features").
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

CONSTRUCTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # what the game is about
        "betting": "G18",
        "betting loop": "G19",
        "two betting loops": "G19",
        "two places of betting": "G18",
        "no betting": "G18",
        # cards
        "several suits": "G3",
        "uneven deal": "G8",
        "board": "G3",
        "discard": "G3",
        "discard pile shuffled in": "G8",
        "draw by one": "G9",
        "draw by both": "G9",
        "draw, public": "G9",
        "draw, occurrence": "G9",
        "draw, private": "G9",
        "peek, public": "G11",
        "peek, occurrence": "G11",
        "peek, private": "G11",
        "swap": "G12",
        "steal": "G12",
        "reveal": "G13",
        # chips
        "unequal antes": "G13",
        "later ante": "G13",
        "player pays player": "G10",
        "player pays pot": "G10",
        "pot pays player": "G10",
        "pot taken": "G10",
        "score": "G14",
        "announcement": "G13",
        "early end": "G13",
        # effects and costs
        "several effects": "G15",
        "stated cost": "G16",
        "probabilistic cost": "G16",
        # betting
        "fixed bets": "G21",
        "free wagers, uncapped": "G22",
        "free wagers, capped": "G22",
        "raises": "G21",
        "fixed and free rounds in a loop": "G21",
        "a round for each turn of a loop": "G19",
        "loop stops at a stack": "G19",
        "event between rounds": "G26",
        "Bob opens": "G21",
        "leader opens": "G30",
        "follower opens": "G30",
        # phases
        "sub-phase": "G18",
        "sub-phase performed from several places": "G18",
        "action round": "G18",
        "several picks": "G18",
        "private choice": "G36",
        "simultaneous round": "G27",
        "three simultaneous options": "G27",
        "conditional cell": "G27",
        "auction of a draw": "G28",
        "auction of a peek": "G28",
        "auction of a steal": "G28",
        "observation, public": "G29",
        "observation, occurrence": "G29",
        "observation, private": "G29",
        "observation of a card": "G29",
        "observation of a suit": "G29",
        "observation of a top rank": "G29",
        "observation of a size": "G29",
        "trigger": "G29",
        "positions by chips": "G30",
        "positions by cards": "G30",
        "positions by chance": "G30",
        "positions alternate": "G30",
        "somebody acts by position": "G30",
        "side bet": "G31",
        "list of conditional events": "G32",
        # conditions
        "condition on chips": "G33",
        "condition on the pot": "G33",
        "condition on the higher card": "G33",
        "condition on a rank": "G33",
        "condition on a suit": "G33",
        "condition on the deck": "G33",
        "condition on a hand's size": "G33",
        "condition on the board": "G33",
        "condition on the round counter": "G20",
        "condition on another variable": "G33",
        "condition on positions": "G33",
        "game in progress": "G33",
        "and": "G33",
        "or": "G33",
        "not": "G33",
        "otherwise": "G33",
        "private check": "G33",
        "conditional inside a conditional": "G33",
        # showdown
        "showdown by low": "G39",
        "showdown by sum": "G39",
        "showdown by suits": "G39",
        "showdown by pairs": "G39",
        "showdown with the board": "G39",
    }
)
