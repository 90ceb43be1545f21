"""The engine's functions for users: arguments are checked and converted for the functions below.

games   games from seeds, names and files, their legality, their programs
play    random play and its log
log     the log as tables

The engine's own code calls the functions below these, which do not repeat the checks.
"""
