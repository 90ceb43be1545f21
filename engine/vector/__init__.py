"""Games as arrays, for learning algorithms; `antemill.tournament.adapters` hands them to other people's frameworks.

sight     what a seat sees of a state, as a vector
hearing   what a seat has been told since it was last asked, as rows of numbers
play      many episodes, a step at a time, with both
book      the same for small games, written down beforehand
both      some of many episodes, a step at a time, with what both seats see
kept      what kernels make of their arguments, for steps of many games in one call
"""
