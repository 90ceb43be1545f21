"""The machine's capacity, which the checker enforces for every game (see `antemill.engine.machine.layout`)."""

MAX_PHASES = 250  # named phases and the decision phases of betting rounds
MAX_CALLS = 16  # active at the same time, of phases that are named several times and of rounds with several picks
MAX_SIDE_BETS = 8
MAX_VARIABLES = 16
MAX_CARDS = 60
MAX_RANKS = 15
MAX_SUITS = 4
