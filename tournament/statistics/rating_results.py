"""What rating a table of results gives: players with their ratings, and differences of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from antemill.tournament.statistics.sheets import Sheet, count, interval_columns, limit, number, text, to_html


class Rating(Struct, frozen=True):
    """One player's rating. Infinite for an undefeated or winless player, NaN for one that cannot be compared.

    Ranks and the probability are None for a player without an interval; `ranks.Ranks` says what they are.
    """

    player: str
    rating: float
    low: float
    high: float
    games: int
    status: str  # "rated", "undefeated", "winless", "unconnected"; "few" for one that is set apart
    rank_low: int | None = None  # its rank, which it may share
    rank_high: int | None = None
    best: float | None = None  # the probability of being best
    spread: float | None = None  # of TrueSkill: standard deviation over other orders of the matches


class Pair(Struct, frozen=True):
    """The difference between two players' ratings. All intervals of pairs hold together in 95%."""

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float  # of no difference, corrected for all pairs


class Ratings(list[Rating]):
    """Ratings, best first. pairs: of the players with ranks, the best first.

    first_mover: log-odds (on the Elo scale, points) that the player in the first column has more, with its error. draw:
    the chance of a draw between equals. None where they are not fitted. rare: players rated by margins whose mean hangs
    on a few large ones, so that their intervals may fail.
    """

    def __init__(
        self,
        rated: Iterable[Rating],
        pairs: Sequence[Pair] = (),
        first_mover: tuple[float, float] | None = None,
        draw: float | None = None,
        rare: tuple[str, ...] = (),
    ) -> None:
        super().__init__(rated)
        self.pairs, self.first_mover, self.draw, self.rare = tuple(pairs), first_mover, draw, rare

    def __repr__(self) -> str:
        return f"<Ratings of {len(self)}: {self[0].player!r} first with {self[0].rating:.2f}>"

    def sheet(self) -> Sheet:
        """The same as a table."""
        columns = [text("player", "player"), number("rating", "rating", signed=False), *interval_columns(signed=False)]
        columns += [count("rank_low", "rank"), count("rank_high", "worst rank")]
        columns.append(number("best", "P(best)", signed=False))
        rows = [
            (
                one.player,
                *(limit(value, one.status) for value in (one.rating, one.low, one.high)),
                one.rank_low,
                one.rank_high,
                one.best,
                one.games,
                one.status,
            )
            for one in self
        ]
        return Sheet("ratings", "Ratings", [*columns, count("games", "games"), text("status", "status")], rows)

    def _repr_html_(self) -> str:
        return to_html(self.sheet())
