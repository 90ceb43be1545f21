"""The interpreter in which judged code runs.

freezing   clock and randomness stand still
blinding   functions that show other code's objects are taken away
streams    standard streams, and a new `__main__`
variation  what differs between two runs of one program
patching   methods of types in C are replaced
"""
