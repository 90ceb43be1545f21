"""What runs in the interpreter that runs judged code: the same files in the native runner and in the WebAssembly guest.

    world     the interpreter made deterministic: clock, randomness, a clean `__main__`, what printing goes to
    value     plain data as bytes and back: how a solution travels from the interpreter that made it to the one it meets
    solution  a solution as one expression: which names it needs, and its value where it has to be made beside a puzzle
    policy    what the text of a solution that can not travel must not have
    beside    the world of such a solution's code, from which nothing that the puzzle keeps can be reached
    library   what it gets of Python and of its library
    border    what crosses between such code and the puzzle, where it names things of the puzzle's
    views     what stands there for these: attributes (`operate`: operators, `making`: calls, `members`: enumerations)
    kinds     what the puzzle's things are, told without asking them
    memory    its functions with a memory: which of them may be called past it
    rule      what a program whose output is to be predicted must not use
    order     whether the order of a program's sets reaches what it prints
    stages    the steps that a check is made of; each runs in an interpreter of its own

Imports the standard library only, and itself by relative imports: the guest has no other package.
"""
