"""The Token Games: two players duel with programming puzzles, and execution is the judge (TTG, requirements T1 to T14).

rounds    what a turn can end in, and the points of a duel
history   what the proposer is told of the past turns
prompts   the two prompts of the paper's appendix E
parse     a puzzle and its solution out of a reply
"""
