"""The vocabulary of generated games. Longer lists give more varied rulebooks; nothing else depends on them."""

from __future__ import annotations

from typing import Final

SUITS: Final = ("hearts", "spades", "diamonds", "clubs")

# Pairs and triples of simultaneous options.
PAIRS: Final = (
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
TRIPLES: Final = (
    ("Attack", "Defend", "Feint"),
    ("High", "Middle", "Low"),
    ("Stone", "Blade", "Cloth"),
    ("Press", "Hold", "Yield"),
    ("Invest", "Save", "Spend"),
    ("Charge", "Guard", "Rest"),
)
VARIABLES: Final = ("tension", "momentum", "favor", "heat", "renown")
ANNOUNCEMENTS: Final = (
    "The table falls silent.",
    "The stakes are noted.",
    "A murmur goes around the table.",
    "Nobody moves.",
)
SKIPPED_DRAW: Final = "The Deck is too small; the draw is skipped."
