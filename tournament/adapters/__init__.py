"""Our games inside other people's frameworks; each module needs an extra and is imported by whoever wants it.

openspiel    import tournament.adapters.openspiel; pyspiel.load_game("antemill(seed=7)")
pettingzoo   from tournament.adapters.pettingzoo import env; env("7@0.4")
vector       what a player sees of a state, as numbers
"""
