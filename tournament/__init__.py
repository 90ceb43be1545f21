"""Pools of games, matches between players, adapters for other libraries, and the `antemill` command line.

The only package that may import from all the others. Tournaments of language models, duels and their statistics belong
here, too.
"""
