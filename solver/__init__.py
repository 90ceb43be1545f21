"""Solving games: the extensive form of a program, and the algorithms that find an equilibrium in it.

Here belong the tree builder over the engine's `advance`, exact best responses and exploitability (NashConv / 2), the
sequence-form linear program, the CFR family (CFR+, DCFR, PCFR+, MCCFR), and the information abstractions. Algorithms
read an `ExtensiveForm` of plain arrays and so are tested on Kuhn and Leduc without the engine. Imports only `engine`.
"""
