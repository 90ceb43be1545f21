"""Games in disguise: the same game under other names, in other ranks and chips, listed in another order.

themes    the words of disguises
changes   what can be changed of a spec
disguise  a disguise, of which the canonical digest proves that it is the same game, and what was changed
"""
