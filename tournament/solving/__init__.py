"""Solving all games of a benchmark with `solver.solve_game`.

benchmark  one policy per game in a folder, and the table of figures beside the benchmark   (table: its file)
report     the report of a run, made anew with that table
"""
