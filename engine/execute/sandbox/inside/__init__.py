"""What runs in the interpreter that runs judged code: the same files in the native runner and in the WebAssembly guest.

    world     the interpreter made deterministic: clock, randomness, a clean `__main__`, what printing goes to
    value     plain data as bytes and back: how a solution travels from the interpreter that made it to the one it meets
    solution  a solution as one expression: which names it needs, and which way its value goes to the puzzle
    built     a value made of the puzzle's own things, by walking the expression: nothing of it is executed
    hooks     which code Python would run on these things, and whether all of it is the puzzle's
    kinds     what the puzzle's things are, told without asking them
    alone     a value with code of the solution's own, made before anything of the puzzle's exists
    policy    what the text of such a solution must not have
    library   what it gets of Python and of its library
    rule      what a program whose output is to be predicted must not use
    order     whether the order of a program's sets reaches what it prints
    stages    the steps that a check is made of; each runs in an interpreter of its own

Imports the standard library only, and itself by relative imports: the guest has no other package.
"""
