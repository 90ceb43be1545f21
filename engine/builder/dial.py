"""The complexity dial (GENSTRAT appendix A): every tuning knob of the builder except its caps (`caps`).

The paper says that one number c in [0, 1] shifts the draw probabilities smoothly, from Kuhn-like games to games of
many phases. It does not print the mapping. Ours is linear in each feature, `at(c) = lo + (hi - lo) * c`, in the table
below. Rows named `p_...` are probabilities (at most .95), rows named `w_...` relative weights, the others means
of counts. No row reaches its ceiling, .95 or a cap, before c is near 1. Caps that allow a complexity above 1 extend the
lines; values below 0 are raised to 0. The numbers are ours: `python -m benches.population` prints the population that
they give beside its targets.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.rules.table.columns import Array

# feature: (value at c = 0, value at c = 1)   what raising it does
TABLE: Final[dict[str, tuple[float, float]]] = {
    # -- cards and chips
    "ranks": (0.5, 2.4),  # ranks beyond three: larger decks, more hands
    "suits": (0.1, 0.9),  # suits beyond one: larger decks, ties between ranks
    "hand": (0.0, 0.12),  # cards dealt to each player beyond one: many more hands
    "p_uneven_deal": (0.0, 0.08),  # one player is dealt an additional card
    "p_board_at_setup": (0.0, 0.12),  # cards face up from the start
    "chips": (4.0, 4.3),  # starting chips beyond two: longer betting, smaller relative stakes
    "ante": (0.3, 1.0),  # ante beyond one chip: showdowns and folds matter more against side payments
    "p_blinds": (0.0, 0.12),  # the players ante different amounts
    "bet": (2.2, 1.6),  # size of fixed bets beyond one chip
    # -- the shape of the phase graph
    "p_no_betting": (0.05, 0.001),  # no betting at all; auctions, simultaneous and action rounds instead
    "p_loop": (0.08, 0.85),  # the betting is a bounded loop instead of a single round
    "rounds": (1.0, 1.55),  # rounds of a loop beyond one, at least one: more folds before the later phases
    "p_second_betting": (0.0, 0.2),  # betting happens in two places of the sequence
    "extra_phases": (0.08, 2.0),  # further main phases: more decisions, more phases in all
    "chapters": (0.06, 4.0),  # parts that are played on a condition: rarer phases
    "p_chapter_compound": (0.95, 0.95),  # that condition is made of two or three: rarer chapters
    "p_chapter_betting": (0.95, 0.95),  # a chapter ends with betting: what is rare is a larger share of the phases
    "p_chapter_loop": (0.6, 0.95),  # and this betting is a loop
    "p_positions": (0.0, 0.45),  # leader and follower are assigned
    "p_post": (0.05, 0.6),  # a list of post-betting events
    "post_events": (1.2, 2.0),  # events of that list
    "between_events": (0.3, 2.2),  # events between the rounds of a loop
    "p_reuse": (0.0, 0.15),  # an event performs a sub-phase that exists already
    "p_nest": (0.02, 0.05),  # an option or a cell performs a sub-phase: rarer phases
    # -- betting
    "p_variable": (0.1, 0.75),  # a betting round has free sizes; its fallback hardly ever plays: a dead branch
    "p_wager_cap": (0.15, 0.15),  # free sizes are capped: fewer actions
    "p_distinct_rounds": (0.8, 0.9),  # each round of a loop has a phase of its own
    "p_raises": (0.0, 0.35),  # raises are allowed
    "p_opener": (0.04, 0.4),  # another player than Alice opens
    "p_rotate": (0.0, 0.2),  # the opener changes from round to round
    "stop_at": (0.2, 1.5),  # a loop stops at this stack: earlier ends
    # -- kinds of further phases and events
    "w_action": (1.0, 0.8),  # action rounds: menus with costs
    "w_simultaneous": (1.0, 0.9),  # simultaneous rounds: more opponent modelling
    "w_auction": (0.3, 0.7),  # auctions: many actions per decision
    "w_observation": (0.7, 0.9),  # signals
    "w_cards": (0.6, 0.5),  # draws, discards, board cards
    "w_side_bet": (0.6, 0.6),  # side bets
    "w_chips": (0.1, 0.3),  # direct effects on chips or score
    "w_betting": (0.0, 0.1),  # a further betting round as an event: rarer phases
    "w_events": (1.0, 4.0),  # a main phase is a short list of conditional events: rarer phases
    "w_end": (0.0, 0.3),  # the game ends early, or the pot is taken
    "p_both_act": (0.9, 0.75),  # an action round or observation comes once for each player
    # -- inside the rounds
    "options": (0.1, 0.8),  # options of a menu beyond two
    "p_pick_twice": (0.0, 0.08),  # a player picks more than once
    "p_private_action": (0.1, 0.35),  # the choice of an action round is private
    "p_cost": (0.2, 0.55),  # an option costs chips
    "p_odds": (0.1, 0.35),  # a cost is due only with some probability
    "p_three_options": (0.1, 0.25),  # a simultaneous round has three options for each player
    "p_cell_if": (0.4, 0.5),  # a simultaneous cell or an option depends on a condition
    "p_low_impact": (0.02, 0.02),  # choices move a chip or tell something, and no card: they matter little
    "p_more_effects": (0.0, 0.25),  # a second effect follows the first
    "payment": (0.8, 2.0),  # size of payments beyond one chip: less weight on the showdown
    "bid": (0.6, 1.6),  # largest bid beyond one chip
    "p_variable_theme": (0.0, 0.2),  # options change a counter of the game's own, settled before the showdown
    # -- conditions
    "p_conditional": (0.8, 0.95),  # an event of a list has a condition
    "p_otherwise": (0.1, 0.35),  # a conditional has a second branch
    "p_public_check": (0.9, 0.8),  # a condition's result is announced
    "p_trigger": (0.0, 0.4),  # an observation has a trigger
    "p_compound": (0.03, 0.25),  # a condition is made of two or three: rarer outcomes
    "p_not": (0.0, 0.05),  # a condition is negated
    "p_nested_if": (0.0, 0.07),  # a conditional event is conditional again: rarer phases
    # -- showdown
    "p_metric": (0.02, 0.5),  # the showdown does not compare the highest ranks
}
# The number of each row, by its name in capitals: `dial.P_LOOP`.
globals().update({name.upper(): row for row, name in enumerate(TABLE)})


def __getattr__(name: str) -> int:  # for readers of types: the names above are computed
    raise AttributeError(f"no row of the dial is called {name}")


MOST_LIKELY: Final = 0.95

# Archetypes: one is drawn per game and multiplies rows of the table. Without them, all games of a complexity would have
# the same mixture, and the axes would be correlated.
ARCHETYPES: Final[tuple[dict[str, float], ...]] = (
    # the pot: large bets, small side payments
    {"bet": 2.0, "payment": 0.6},
    # the opponent: guessing what the other does, with any cards (opponent modelling, not information sensitivity)
    {
        "extra_phases": 1.5,
        "w_simultaneous": 5.0,
        "w_action": 0.3,
        "w_side_bet": 0.2,
        "w_observation": 0.4,
        "p_cell_if": 0.15,
        "payment": 1.6,
        "ante": 0.4,
    },
    # the cards: decisions depend on the player's own hand (information sensitivity, not opponent modelling)
    {
        "extra_phases": 1.5,
        "w_simultaneous": 0.2,
        "w_action": 2.5,
        "w_side_bet": 2.5,
        "w_auction": 0.2,
        "p_cell_if": 1.8,
        "options": 0.4,
        "payment": 1.8,
        "ante": 0.4,
    },
    # the stakes: much is in the pot before the first decision, no player can fold, and choices matter little
    {
        "p_no_betting": 1_000.0,  # nearly always
        "p_low_impact": 50.0,
        "p_nest": 0.2,
        "post_events": 1.5,
        "ante": 24.0,
        "payment": 0.1,
        "bid": 0.2,
        "w_betting": 0.0,
        "p_chapter_betting": 0.0,
        "w_auction": 0.05,
        "w_side_bet": 0.1,
        "w_chips": 0.3,
        "w_end": 0.1,
    },
)
ARCHETYPE_SHARES: Final = (0.32, 0.317, 0.32, 0.043)

_LOW: Final = np.array([low for low, _ in TABLE.values()])
_SLOPE: Final = np.array([high - low for low, high in TABLE.values()])
_MOST: Final = np.array([MOST_LIKELY if name.startswith("p_") else np.inf for name in TABLE])
_FACTORS: Final = np.array([[factors.get(name, 1.0) for name in TABLE] for factors in ARCHETYPES])


@kernel
def turn(features: Array, c: float) -> None:
    """Write every feature of the table at complexity c.

    Values below 0 become 0. Probabilities are at most `MOST_LIKELY`, so that games differ.
    """
    for row in range(len(_LOW)):
        features[row] = min(max(_LOW[row] + _SLOPE[row] * c, 0.0), _MOST[row])


@kernel
def multiply(features: Array, archetype: int) -> None:
    """Multiply the features of an archetype by its factors; probabilities stay at most `MOST_LIKELY`."""
    for row in range(len(_LOW)):
        features[row] = min(features[row] * _FACTORS[archetype, row], _MOST[row])


def dial(c: float, archetype: int | None = None) -> dict[str, float]:
    """Every feature at complexity c, by name. archetype: the number of one to apply; None for none."""
    features = np.empty(len(TABLE))
    turn(features, c)
    if archetype is not None:
        multiply(features, archetype)
    return dict(zip(TABLE, features.tolist(), strict=True))
