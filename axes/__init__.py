"""The six complexity axes of a game (GENSTRAT section 4 and appendix C), one module each.

Every axis is a pure function of rollout logs, or of a program that it rolls out itself through the engine. Choosing a
benchmark from a scored pool belongs here too. Imports only `engine`.
"""
