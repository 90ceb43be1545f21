"""The rules of a generalized betting game, as plain data (GENSTRAT sections 3 and appendix A).

A `GameSpec` is a phase graph: named phases, each made of ordered steps or built from a template (a betting round,
a simultaneous round, an auction, ...). It has no behaviour. Three programs interpret it: the compiler
(`antemill.engine.compiler.compile`), the legality checker (`antemill.engine.rules.check`) and, for the tests, a plain
interpreter. The docstrings here define the rules that all of them follow.

values      the values that fields may have, and what every kind declares of itself
conditions  tests of the state of a game
steps       actions without a decision
phases      the nodes of the graph, in which players decide
game        the game itself, and its JSON

Import all their names from this package. Each kind is listed once, in the union of its file (`Condition`, `Step`,
`Phase`), from which this package takes its names.

The types of a kind's fields say what it contains (`antemill.engine.rules.walk`). Further properties that several
readers need are declared with the kind: `brings`, `plays`, `suited`, `draws`, `repeats`. A test compares them with
played games.

General rules
-------------
- Two seats, Alice (0) and Bob (1). Chips live in the two stacks and the pot; their total never changes.
- `sequence` names the main phases in order. When the game ends, all later phases and steps are skipped.
- A payment moves `min(amount, payer's holdings)`. No player ever goes into debt.
- A step whose precondition is unmet (an empty hand, an empty deck) does nothing, and later steps resolve as usual.
- Hands keep their order of arrival, and a card that leaves a hand leaves no gap. The card drawn from the deck at index
  `i` is replaced there by the deck's last card. (This fixes what "the i-th card" means for a chance draw.)
- The deck starts as every suit of the lowest rank, then of the next: card id = rank index * number of suits + suit
  index.
- Variables start at 0. The board is public. The discard pile is hidden unless a card enters it face up.
- Stacks, pot, deck size, positions, the score, and the variables are public at all times.

A player is told everything as events, each with a visibility (`antemill.engine.machine.events`).
"""

from antemill.engine.rules.spec.conditions import *
from antemill.engine.rules.spec.game import *
from antemill.engine.rules.spec.phases import *
from antemill.engine.rules.spec.steps import *
from antemill.engine.rules.spec.values import *
