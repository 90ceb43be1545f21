"""Kuhn poker in extensive form, written down with numpy alone: no engine, no tree builder.

The root deals one of six pairs of cards. For each of them there are nine nodes: Alice checks or bets; after a check Bob
checks or bets, and Alice answers a bet; after a bet Bob folds or calls.
"""

from __future__ import annotations

import numpy as np

from antemill.solver.game import ALICE, BOB, END, NATURE, Array, ExtensiveForm, InformationSets

DEALS = np.array([(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)])  # cards of Alice and Bob: jack, queen, king
ROOT, BLOCK = 0, 8  # Alice's first decisions are the nodes 1 to 6, and after them come eight nodes for each deal
CHECKED, BET, BOTH_CHECKED, RAISED, FOLDED_LATE, CALLED_LATE, FOLDED, CALLED = range(BLOCK)
BOB_ORDER = np.array([2, 0, 1])  # the jack appears last in Bob's hand


def kuhn(weight: int = 1) -> ExtensiveForm:
    """The game with payoffs in chips for Alice; both have paid an ante of 1, and a bet is 1.

    weight: of each deal, in any unit.
    """
    opening = 1 + np.arange(len(DEALS))
    block = 7 + BLOCK * np.arange(len(DEALS))
    nodes = 7 + BLOCK * len(DEALS)
    player, first, width = np.full(nodes, END, np.int8), np.zeros(nodes, np.int32), np.zeros(nodes, np.int32)
    payoff, information_set = np.zeros(nodes, np.int32), np.full(nodes, -1, np.int32)
    alice_card, bob_card = DEALS.T
    wins = np.where(alice_card > bob_card, 1, -1)
    alice_set, bob_set = 2 * alice_card, 2 * BOB_ORDER[bob_card]

    def decide(place: Array, who: int, number: Array, child: Array) -> None:
        """Two actions at `place`, the sequences 1 + 2 * number and the next."""
        player[place], information_set[place], first[place], width[place] = who, number, child, 2

    player[ROOT], first[ROOT], width[ROOT] = NATURE, 1, len(DEALS)
    decide(opening, ALICE, alice_set, block + CHECKED)
    decide(block + CHECKED, BOB, bob_set, block + BOTH_CHECKED)
    decide(block + RAISED, ALICE, alice_set + 1, block + FOLDED_LATE)
    decide(block + BET, BOB, bob_set + 1, block + FOLDED)
    for end, chips in (
        (BOTH_CHECKED, wins),
        (FOLDED_LATE, -1),
        (CALLED_LATE, 2 * wins),
        (FOLDED, 1),
        (CALLED, 2 * wins),
    ):
        payoff[block + end] = chips
    alice = _sets([0, 1] * 3, [0, 1, 0, 5, 0, 9], 1)
    bob = _sets([2, 3] * 3, [0] * 6, 7)
    weights = np.ones(nodes, np.int64)
    weights[opening] = weight
    columns = player, first, width, weights, payoff, information_set
    return ExtensiveForm.of_nodes("Kuhn by hand", "", *columns, (alice, bob))


def _sets(decisions: list[int], parents: list[int], key: int) -> InformationSets:
    return InformationSets(
        key=key + np.arange(6),
        decision=np.array(decisions, np.int16),
        parent_sequence=np.array(parents, np.int32),
        start=1 + 2 * np.arange(7, dtype=np.int32),
    )


def equilibrium(bluff: float) -> tuple[Array, Array]:
    """Kuhn's equilibria (1950): Alice bets the jack with a probability of 0 to 1/3, and all else follows from it."""
    rows = [(0, bluff, 0.0), (1, 0.0, bluff + 1 / 3), (2, 3 * bluff, 1.0)]  # card, bets, calls after checking
    alice = [np.array([1 - bet, bet, 1 - call, call]) for _, bet, call in rows]
    bets, calls = {0: 1 / 3, 1: 0.0, 2: 1.0}, {0: 0.0, 1: 1 / 3, 2: 1.0}
    bob = [np.array([1 - bets[card], bets[card], 1 - calls[card], calls[card]]) for card in np.argsort(BOB_ORDER)]
    return np.concatenate([np.ones(1), *alice]), np.concatenate([np.ones(1), *bob])
