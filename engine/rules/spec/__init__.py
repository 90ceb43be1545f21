"""The rules of a generalized betting game, as plain data (GENSTRAT sections 3 and appendix A).

A `GameSpec` is a phase graph: named phases, each made of ordered steps or built from a template (a betting round,
a simultaneous round, an auction, ...). It holds no behaviour. Three readers interpret it: the compiler
(`antemill.engine.compiler.compile`), the legality checker (`antemill.engine.rules.check`) and, for the tests, a plain
interpreter. The docstrings here are the definition of the rules that all of them follow.

values      what a field may say, and what every kind declares of itself
conditions  what can be asked about the state of a game
steps       what happens without a decision
phases      the nodes of the graph, in which players decide
game        the game itself, and its JSON

All that they define is imported from here. Each kind has its place in one list, the union of its file (`Condition`,
`Step`, `Phase`); this package passes on what is there, so that a new kind has no second one.

What a kind contains follows from the types of its fields (`antemill.engine.rules.walk`). What else several readers want
to know of a kind is declared beside it: `brings`, `plays`, `suited`, `draws`, `repeats`. A test plays games and
compares.

General rules
-------------
- Two seats, Alice (0) and Bob (1). Chips live in the two stacks and the pot; their total never changes.
- `sequence` names the main phases in order. When the game ends, everything that is left is skipped.
- A payment moves what is available: `min(amount, payer's holdings)`. Nothing ever goes into debt.
- A step whose precondition is unmet (an empty hand, an empty deck) does nothing and later steps still resolve.
- Hands keep their order of arrival. A card that leaves a hand closes the gap. The card drawn from the deck at index `i`
  is replaced there by the deck's last card. (This fixes what "the i-th card" means for a chance draw.)
- The deck starts as every suit of the lowest rank, then of the next: card id = rank index * number of suits + suit
  index.
- Variables start at 0. The board is public. The discard pile is hidden unless a card enters it face up.
- Stacks, pot, deck size, positions, the score, and the variables are public at all times.

All that a player is told is an event with a visibility (`antemill.engine.machine.events`).
"""

from antemill.engine.rules.spec.conditions import *
from antemill.engine.rules.spec.game import *
from antemill.engine.rules.spec.phases import *
from antemill.engine.rules.spec.steps import *
from antemill.engine.rules.spec.values import *
