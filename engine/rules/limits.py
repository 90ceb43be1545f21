"""What the machine has room for, which the checker holds every game to (`antemill.engine.machine.layout` lays it
out)."""

MAX_PHASES = 250  # named phases and the decision phases of betting rounds
MAX_CALLS = 16  # under way at once: of phases that are named several times, and of rounds with several picks
MAX_SIDE_BETS = 8
MAX_VARIABLES = 16
MAX_CARDS = 60
MAX_RANKS = 15
MAX_SUITS = 4
