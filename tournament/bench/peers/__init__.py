"""Other systems beside ours, each at its best that can be reached from Python, in one run on one processor.

peers    the systems, and what they need           random_play  episodes of random play
compare  the tasks, and the runs                   solving      Leduc to a target
None of them is a dependency: those that are installed are measured, the others are named with what would install them.
"""
