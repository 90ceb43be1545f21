"""Matches, tournaments and their statistics, and the `antemill` command line.

The three competitions (GENSTRAT matches, Token Games duels, SKATE rounds), the store that survives a kill at any
instant, ratings and bootstraps, and the report. The only package that may import from all the others.
"""
