"""Solving all games of a benchmark with `antemill.solver.solve_game`.

benchmark  one policy per game in a folder, and the table of figures beside the benchmark   (solved_games: its file)
"""
