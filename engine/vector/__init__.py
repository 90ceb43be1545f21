"""Games as arrays, for learning algorithms; `antemill.tournament.adapters` hands them to other people's frameworks.

state_observation   what a seat sees of a state, as a vector
event_observation   what a seat was told since it was last asked, as rows of numbers
play                many episodes, a step at a time, with both observations
book                the same for small games, all states computed beforehand
both                some of many episodes, a step at a time, with what both seats see
kept                arguments in the form that kernels read, for steps of many games in one call
"""
