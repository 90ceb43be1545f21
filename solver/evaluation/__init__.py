"""Values of policies: exact on a tree, sampled without one, and estimated from matches.

measures            expected value, best responses and exploitability, exact
off_path            best responses where a player's own choices never lead
sampled_response    a lower bound of the exploitability where no tree fits
history             a match as a path through the game
transcripts         recorded matches as such paths; which AIVAT to use
aivat_tree          AIVAT, a match's result without the luck, on the tree
aivat_machine       AIVAT where no tree fits
regret              an equilibrium's advice on each decision of a match
"""
