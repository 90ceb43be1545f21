"""SKATE: players set verifiable questions for each other, and answer everybody's (requirements S1 to S14).

sampling  Algorithm 1: how often a question is asked before its score is known well enough
"""
