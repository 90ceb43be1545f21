"""Other systems beside ours, each at its best that can be reached from Python, in one run on one processor.

peers    who they are, and what they need          random_play  episodes of random play
compare  the tasks, and the runs                   solving      Leduc to a target
None of them is a dependency: whoever is installed is measured, the others are named with what would install them.
"""
