"""The axes without random play: the exact values of the formulas, from all ways to play a game.

tier            the budgets: what is enumerated, and what remains a sample
tree            the decisions and ends of a game's tree
mixed           the tree for players who do not look at cards
uniform         random play, exactly: state space, temporal depth, information sensitivity
risk            from exact distributions of the payoff
opponents       opponent modeling
brittleness     brittleness
scores          all of them in one call

The formulas are read as in the modules of `antemill.axes`. Each module says what differs in the limit of infinitely
many episodes. Scores of the tiers that play, and their version, do not depend on this package.
"""
