"""The Token Games: two players duel with programming puzzles, and execution is the judge (TTG, requirements T1 to T14).

config    the players, the pairs and the limits
rounds    the outcomes of a turn, and the points of a duel
history   the past turns as the proposer sees them
prompts   the two prompts of the paper's appendix E
parse     reading a puzzle, its solution or an attempt from a reply
judge     a verdict from the sandbox
play      one duel, turn by turn; a puzzle solved again
tagging   the topics of a puzzle, by a model
kind      duels as a run
results   the results of a run   analysis  statistics on them   tables, analyze  tables and files
"""
