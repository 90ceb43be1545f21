"""Games for tests: bids of more than the stack, and a player without decisions."""

from antemill.engine.rules.spec import Ante, Auction, Deal, Deck, Draw, GameSpec, Showdown, Steps


def poor_bidders() -> GameSpec:
    """Of 3 chips each pays 1; a second card is bid for, with 0 to 4 chips."""
    return GameSpec(
        name="Poor Bidders",
        deck=Deck((2, 3, 4, 5), ("spades",)),
        chips=3,
        phases=(
            Steps("Setup", (Deal(1), Ante("both", 1))),
            Auction("Auction", max_bid=4, prize=Draw("winner")),
            Showdown("Showdown"),
        ),
        sequence=("Setup", "Auction", "Showdown"),
    )
