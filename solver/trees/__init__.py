"""The tree of a program, what the algorithms compute with, and abstractions laid over it.

build            the extensive form of a program, enumerated by the machine that plays it
walk             the way through that tree, node by node
numbering        its information sets, as they are met on the way
suits            what is the same in it but for names of suits
outside          the extensive form of somebody else's game, from its nodes one after the other
efg              such a game in a file of Gambit's format
sequence_form    each player's information sets and a sparse matrix of payoffs: all that values depend on
streamed_form    the same where the tree is too large to be kept
abstraction      which decisions an abstraction treats alike, while a game is being played
abstract_sets    which information sets of a tree are one set under an abstraction
"""
