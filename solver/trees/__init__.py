"""The tree of a program, the forms that the algorithms compute with, and abstractions of it.

build            the extensive form of a program, enumerated by the machine that plays it
numbering        its information sets, as the walk meets them
estimate         the size of a tree that is too large to be walked
outside          the extensive form of a game from outside, from its nodes one after the other
efg              such a game in a file of Gambit's format
sequence_form    each player's information sets and a sparse matrix of payoffs: values depend on nothing else
abstraction      the decisions that an abstraction merges, while a game is played
abstract_sets    the information sets of a tree that are one set under an abstraction
"""
