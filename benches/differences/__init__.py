"""What the other readings on docs/differences.md would give, measured: `python -m benches.differences`.

page           the page's figures: where they stand, how they are put in
readings       names of the program changed for a while, and how two lists of scores are compared
games          the gate and what games are made of
axes           the six axes, and the choice of a benchmark
tournaments    strengths and their uncertainty, on planted tournaments
duels          The Token Games, with simulated and scripted players
skate          SKATE, with simulated players and the programs of scripted ones
"""
