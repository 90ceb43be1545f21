"""How precise the results of a tournament will be, as `--dry-run` says.

The noise of a run is that of random play in the configured games: two matches with the same cards, in which both
players choose at random, independently. Half the difference of their payoffs has the noise's standard deviation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt

from antemill.engine.match import Game, Match
from antemill.engine.seeding import Stream
from antemill.tournament.cards.schedule import Schedule
from antemill.tournament.statistics.planning import Foreseen, Runs, foresee

_TRIALS, _LEAST = 400, 20  # runs of random play over all games, and of each game at least


def foreseen(schedule: Schedule, players: Sequence[str], games: Mapping[str, Game]) -> Foreseen | None:
    """The precision of the main schedule; None if it has none, or if it will give no intervals. games: by label.

    An adaptive schedule, whose later matches are not known, is taken as one that spreads them evenly.
    """
    first = schedule.next_slots(())
    slots = [slot for slot in first if slot.ablation is None]
    total = (schedule.total or len(first)) - len(first) + len(slots)
    if not slots:
        return None
    counts: Mapping[tuple[str, str, str], float]
    if total == len(slots):
        counts = Counter((slot.game, min(slot.alice, slot.bob), max(slot.alice, slot.bob)) for slot in slots)
    else:
        pairs = list(combinations(sorted(players), 2))
        each = total / (len(pairs) * len(games))
        counts = {(game, *pair): each for game in games for pair in pairs}
    noise = {label: noise_of(game, number, len(games)) for number, (label, game) in enumerate(games.items())}
    return foresee([Runs(game, a, b, count / 2) for (game, a, b), count in counts.items()], noise)


def noise_of(game: Game, number: int = 0, games: int = 1) -> float:
    """The standard deviation of half the difference of a run's two payoffs, in chips, under random play.

    number: of the game among so many, which gives it random numbers of its own.
    """
    trials = max(_LEAST, _TRIALS // games)
    chosen = Stream(number, trials)
    halves = [(_payoff(game, seed, chosen) - _payoff(game, seed, chosen)) / 2 for seed in range(trials)]
    return sqrt(sum(half**2 for half in halves) / trials)  # its mean is 0: the two matches are alike


def _payoff(game: Game, seed: int, chosen: Stream) -> int:
    """Alice's payoff of a match of random play with the cards of a play seed."""
    match = Match(game, seed, log=False)
    while not match.over:
        match.apply(match.menu.choice(chosen.below(len(match.menu))))
    return match.result.payoffs[0]


def sentence(found: Foreseen) -> str:
    """The precision that the money buys, in words."""
    return (
        f"With this schedule a player's strength is known to about ±{found.half_width:.2g} chips a game (95% "
        f"interval), and two players whose strengths differ by less than about {found.difference:.2g} chips cannot be "
        "told apart; four times the matches halve both. This supposes the noise of random play (standard deviation "
        f"{found.noise:.2g} chips for the mean of two matches with the same cards) and players equally good at all "
        "games."
    )


NO_INTERVALS = (
    "With this schedule strengths have no intervals: every player needs 5 pairs of matches or more, and all players "
    "must be connected by whom they meet."
)
