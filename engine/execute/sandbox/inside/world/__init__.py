"""The interpreter in which judged code runs.

freezing   clock and randomness stand still
blinding   functions that show other code's objects are taken away
machines   what differs between the two machines on which a program runs
ending     the end of a program
streams    standard streams, and a new `__main__`
longs      the sizes of the machine's longs and pointers
variation  the order of addresses, and how deep calls can be nested
doors      built-in functions that ask our Python code first
patching   methods of types in C are replaced
"""
