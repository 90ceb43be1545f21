"""The engine's functions as users call them: arguments are checked and made what the functions below need.

games   games from seeds, names and files, their legality, their programs
play    random play and its log
log     the log as tables

The engine's own code calls the functions below these, which check nothing twice.
"""
