"""Policies: how both players behave, on a tree and by information key.

profile        strategy profiles on a tree: one probability per sequence
policy         policies by information key: what is saved, and what players and kernels look up
solution       what is known about a policy: its game, how it was found, its value and exploitability
on_tree        from one form to the other
dictionaries   strategy profiles by the names of players, information sets and actions
file           policies as Parquet files
"""
