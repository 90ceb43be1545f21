"""Games in disguise: the same game with other names, ranks and chips, listed in another order.

themes    the words of disguises
changes   the changes that keep a game the same
disguise  a disguise with a list of its changes; the canonical digest proves that it is the same game
"""
