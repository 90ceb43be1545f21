"""The axes without random play: what the formulas mean, from all ways to play a game.

tier            what is enumerated, and what stays a sample
tree            the decisions and ends of a game's tree
mixed           the tree for players who do not look at cards
uniform         random play, exactly: state space, temporal depth, information sensitivity
risk            from exact distributions of the payoff
opponents       opponent modeling
brittleness     brittleness
scores          all of them in one call

The formulas are read as in the modules of `antemill.axes`; each says what is different in the limit of infinitely many
episodes. Nothing here changes a score or the version of the tiers that play.
"""
