"""SKATE: players set verifiable questions for each other, and answer everybody's (requirements S1 to S14).

config       the players, the rounds, the strategy
tasks        kinds of questions: output prediction, the value of a card game
prompts      what players are sent; parse: what they reply
embedding    how far questions are apart; embedders: by name; calibrate: where to cut
sampling     Algorithm 1: how often a question is asked before its score is known well enough
play         one question set, one question answered
kind         a game as a run; making: its rules from a configuration
results      what a game came to: ratings and everything else   tables, figures, analyze  written down and drawn
"""
