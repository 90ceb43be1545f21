"""What policies are worth: exactly on a tree, by sampling without one, and in matches that were played.

measures            expected value, best responses and exploitability, exact
sampled_response    a lower bound of the exploitability where no tree fits
history             a match as a path through the game
transcripts         recorded matches as such paths
aivat_tree          AIVAT, a match's result without the luck, on the tree
aivat_machine       AIVAT where no tree fits
"""
