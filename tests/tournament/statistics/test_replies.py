"""The shares of second tries and of replies without use, of both seats together."""

import pyarrow as pa

from antemill.tournament.statistics import replies
from antemill.tournament.statistics.tables import asked_of


def test_shares_are_of_all_that_a_player_was_asked() -> None:
    rows = pa.table(
        {
            "alice": ["m", "m", "n"],
            "bob": ["n", "n", "m"],
            "moves_alice": [3, 5, 4],
            "moves_bob": [1, 2, 2],
            "second_alice": [1, 0, 0],
            "second_bob": [0, 1, 2],
            "fallbacks_alice": [1, 0, 0],
            "fallbacks_bob": [0, 0, 1],
        }
    )
    counts = asked_of(rows)
    assert counts == {"m": (10, 3, 2), "n": (7, 1, 0)}
    assert replies.cells(counts, "m") == [30.0, 20.0]
    assert replies.cells(counts, "nobody") == [None, None]
    assert asked_of(rows.drop_columns(["second_bob"])) == {}
