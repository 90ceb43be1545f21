"""The vocabulary of generated games. Longer lists give more varied rulebooks; nothing else depends on them.

Compiled code draws indices into `VOCABULARY`; `antemill.engine.rules.table.columns` says how names are made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_places: dict[str, int] = {"": 0}


def _text(text: str) -> int:
    """The index of a text, which is added if it is new."""
    return _places.setdefault(text, len(_places))


def _texts(texts: Sequence[str]) -> npt.NDArray[Any]:
    return np.array([_text(text) for text in texts], np.int64)


# The second part of a phase's name: where the phase is played. These texts come first in the vocabulary.
INTER_ROUND: Final = _text(" (inter-round)")
CHAPTER: Final = _text(" (escalation)")
AFTER_BETTING: Final = _text(" (post-betting)")
EVENT: Final = _text(" (event)")
SUB_ROUND: Final = _text(" (sub-round)")
PLACES: Final = len(_places)

SUITS: Final = _texts(("hearts", "spades", "diamonds", "clubs"))

# Pairs and triples of simultaneous options.
PAIRS: Final = np.array(
    [
        _texts(pair)
        for pair in (
            ("Hold", "Parry"),
            ("Press", "Retreat"),
            ("Push", "Yield"),
            ("Strike", "Guard"),
            ("Advance", "Wait"),
            ("Bluff", "Challenge"),
            ("Share", "Grab"),
            ("Charge", "Dodge"),
            ("Invest", "Hoard"),
            ("Attack", "Defend"),
            ("Left", "Right"),
            ("Open", "Close"),
        )
    ]
)
TRIPLES: Final = np.array(
    [
        _texts(triple)
        for triple in (
            ("Attack", "Defend", "Feint"),
            ("High", "Middle", "Low"),
            ("Stone", "Blade", "Cloth"),
            ("Press", "Hold", "Yield"),
            ("Invest", "Save", "Spend"),
            ("Charge", "Guard", "Rest"),
        )
    ]
)
VARIABLES: Final = _texts(("tension", "momentum", "favor", "heat", "renown"))
COUNTER: Final = _text("bet round")
ANNOUNCEMENTS: Final = _texts(
    (
        "The table falls silent.",
        "The stakes are noted.",
        "A murmur goes around the table.",
        "Nobody moves.",
    )
)
SKIPPED_DRAW: Final = _text("The Deck is too small; the draw is skipped.")

# The first part of a phase's name.
SETUP: Final = _text("Setup")
ANTE_PHASE: Final = _text("Ante Phase")
BETTING_ROUND: Final = _text("Betting Round")
EXTRA_BETTING_ROUND: Final = _text("Extra Betting Round")
BETTING_PHASE: Final = _text("Betting Phase")
POST_BETTING: Final = _text("Post-Betting Phase")
EVENT_PHASE: Final = _text("Event Phase")
ESCALATION: Final = _text("Escalation Phase")
SETTLEMENT: Final = _text("Settlement Phase")
RECKONING: Final = _text("Reckoning")
SHOWDOWN: Final = _text("Showdown")
DRAW_PHASE: Final = _text("Draw Phase")
BOARD_PHASE: Final = _text("Board Phase")
DISCARD_PHASE: Final = _text("Discard Phase")
REVEAL_PHASE: Final = _text("Reveal Phase")
EXCHANGE_PHASE: Final = _text("Exchange Phase")
PEEK_PHASE: Final = _text("Peek Phase")
RESHUFFLE_PHASE: Final = _text("Reshuffle Phase")
STAKES_PHASE: Final = _text("Stakes Phase")
SIMULTANEOUS_ROUND: Final = _text("Simultaneous Round")
POSITION_ASSIGNMENT: Final = _text("Position Assignment")
_OWNERS: Final = ("Alice", "Bob", "Leader", "Follower")  # by the number of the player
ACTION_ROUNDS: Final = _texts([f"{owner}'s Action Round" for owner in _OWNERS])
OBSERVATION_ROUNDS: Final = _texts([f"{owner}'s Observation Round" for owner in _OWNERS])
SIDE_BETS: Final = _texts([f"{owner}'s Side Bet" for owner in _OWNERS])
AUCTIONS: Final = _texts([f"Auction Round: {prize}" for prize in ("Card Draw", "Peek", "Steal")])

# The options of menus, in the order of a menu.
OPTIONS: Final = _texts(
    (
        "Draw",
        "Peek",
        "Exchange",
        "Swap",
        "Steal",
        "Discard",
        "Show",
        "Challenge",
        "Raise the Stakes",
        "Tribute",
        "Tax",
        "Skim",
        "Boast",
        "Concede",
        "Taunt",
        "Stir",
        "Pass",
    )
)
DUEL: Final = _text("Duel")

VOCABULARY: Final = tuple(_places)
