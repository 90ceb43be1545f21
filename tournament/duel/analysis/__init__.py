"""What a set of duels says: plain functions from turns, attempts and tags to rows of tables (T7 to T13).

turns     the turns as a table; how they ended, by player and by number
resolve   reference models solve every valid puzzle: by proposer, by turn, self and either
topics    tags: frequency, lift, exclusive and rare ones
external  rank correlations with other benchmarks' scores
"""
