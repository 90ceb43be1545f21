"""Everything that brings games, models and numbers together, and the `antemill` command line.

The only package that may import from all the others.

pool, pipeline     from candidate seeds to a scored benchmark
players            bots, policies, people; head_to_head: a player against a solved policy
solving the games of a benchmark, solved and saved
runs               runs that survive a kill: a folder, a plan, one transaction for each item
kinds              the table of kinds of runs: cards, duel, skate   answers: a model's reply as an action
statistics         what results mean
verify             puzzles and programs judged, row by row
pages, report      the parts of self-contained pages; the page of a run or pool in a folder
view               runs as a live page on this machine
inspect_tasks      `inspect eval antemill/cards`
adapters           our games for other libraries
cli                the commands
"""
