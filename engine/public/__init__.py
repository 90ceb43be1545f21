"""The engine's functions for users, which check and convert their arguments.

games   games from seeds, names and files, their legality, their programs
play    random play and its log
log     the log as tables

The engine's own code calls the functions without these checks directly.
"""
