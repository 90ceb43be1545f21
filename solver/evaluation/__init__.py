"""What policies are worth: exactly on a tree, by sampling without one, and in matches that were played.

measures            expected value, best responses and exploitability, exact
sampled_response    a lower bound of the exploitability where no tree fits
tree_size           how many nodes best responses visit, by an estimate
streamed_response   the exact exploitability without a tree   (streamed_walk: its kernels, streamed_arrays: what they
                    work on, parts: what is finished, tally: how far it is)
history             a match as a path through the game
transcripts         recorded matches as such paths
aivat_tree          AIVAT, a match's result without the luck, on the tree
aivat_machine       AIVAT where no tree fits
"""
