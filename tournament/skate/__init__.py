"""SKATE: players set verifiable questions for each other, and all answer them (requirements S1 to S14).

config       the players, the rounds, the strategy
tasks        kinds of questions: output prediction, the value of a card game
prompts      prompts for players; parse: reading their replies
embedding    distances between questions; embedders: by name; calibrate: choosing the threshold
sampling     Algorithm 1: the number of variants that are asked before a score is precise enough
play         one question set, one question answered
kind         a game as a run; making: its rules from a configuration
results      the results of a game: ratings and statistics   tables, figures, analyze  tables, figures and files
"""
