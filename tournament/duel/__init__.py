"""The Token Games: two players duel with programming puzzles, and execution is the judge (TTG, requirements T1 to T14).

config    the players, the pairs and the limits
rounds    the outcomes of a turn, and the points of a duel
history   the past turns as the proposer sees them
prompts   the two prompts of the paper's appendix E
replies   reading a puzzle, its solution or an attempt from a reply
judge     a verdict from the sandbox
play      one duel, turn by turn; a puzzle solved again or tagged   tagging  the prompt for tags
kind      duels as a kind of run   items  what lists and pages show
results   the turns, attempts and tags of finished rows   findings  ratings and the headline   analysis  statistics
tables, figures  those of the paper
"""
