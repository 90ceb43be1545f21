"""The algorithms that converge to an equilibrium. `table` lists them all.

table             name, help and kind of every algorithm; the command line and `auto` read it
solve             a tree solved to a target by any algorithm
loop              iterate, measure, report, stop: shared by all algorithms that iterate
rules             how each algorithm of the CFR family turns counterfactual values into regrets and a policy
traversal         an iteration of the CFR family over the sequence form   (learner: the state; worker_pool: the threads;
partition: the work of each thread; barrier: synchronisation)
linear_program    the sequence-form linear program    (sequence_program: its rows and columns; highs: what solves it)
abstract_cfr      CFR+ on an abstraction
mccfr             external-sampling Monte Carlo CFR without a tree        (sampled_tables: what it has learnt)
auto              which algorithms `auto` takes                           (turns: how they take turns)
"""
