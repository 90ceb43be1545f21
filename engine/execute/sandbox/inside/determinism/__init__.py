"""Whether a program prints the same everywhere: what its text shows, and what is watched while it runs.

static_rule    what the text of a program must not use
imports        of that, imports
harmless       uses of a name that are harmless, although the rule objects to the name
of_sys         of these, versions and arguments of `sys`
sizes          formats of bytes that differ between machines
reached        statements to which the rule objects, and which a program need not reach
name_lists     the lists of names behind that rule
scopes         which names are the program's own, and which come from outside
reachable      the part of a program that can run
module_paths   whether an attribute leads from one module to another
program        a program's tree as these read it
guard          all that watches a program while it runs
attributes     of that, attributes that it asks for, and formats
texts          of that, text that it executes
askers         whose code asks: the program's, the library's or ours
listing        what `dir` returns for the program's own objects
library_methods  methods of the library's classes that ask the machine, such as those of paths
pickles        copies by `pickle` of the program's own things
narrow         errors of an interpreter with 32 bits
draws          whether a random generator without a seed is drawn from
rewriting      the program with calls to the guard where it uses `hash`, attributes such as `__dict__`, class patterns
calls          attributes with which a program does nothing but call them
introspection  what those attributes and hashes may be asked of
patterns       class patterns, whose attributes `__match_args__` names
address        what `id` returns: other numbers in each run
repr_watch     texts that contain an object's address, noticed where they are made
set_order      whether the order of a set reaches the output
"""
