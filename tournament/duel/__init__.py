"""The Token Games: two players duel with programming puzzles, and execution is the judge (TTG, requirements T1 to T14).

config    who plays whom, and the limits
rounds    what a turn can end in, and the points of a duel
history   what the proposer learns of the past turns
prompts   the two prompts of the paper's appendix E
parse     a puzzle and its solution out of a reply
judge     a verdict from the sandbox
play      one duel, turn by turn; a puzzle solved again
tagging   the topics of a puzzle, by a model
kind      duels as a run
results   what a run came to   analysis  what that means   tables, analyze  written down
"""
