"""The algorithms that converge to an equilibrium. `table` lists them all.

table             name, help and kind of every algorithm; the command line and `auto` read it
solve             a tree solved to a target by any algorithm
loop              iterate, measure, report, stop: shared by all algorithms that iterate
rules             how each algorithm of the CFR family turns counterfactual values into regrets and a policy
iterations        an iteration of the CFR family over the sequence form, and the learners that it updates
linear_program    the sequence-form linear program
abstract_cfr      CFR+ on an abstraction
mccfr             external-sampling Monte Carlo CFR without a tree        (sampled_tables: what it has learnt)
"""
