"""Solving games with `solver`: one game, or all games of a benchmark.

game       what is done to one program: the tree where it fits, the machine where it does not; a policy with its figures
benchmark  one policy per game in a folder, and the table of figures beside the benchmark   (table: its file)
report     the report of a run, made anew with that table
"""
