"""A solution's value: how it is found, and how the puzzle gets it without the solution changing the puzzle.

expression      the text of a solution: one expression, the names that it uses, and the way its value takes
plain           plain data as bytes and back: how a value travels from one interpreter to the next
builder         a value made of the puzzle's own things, by walking the expression: nothing of it is executed
builder_calls   which functions and methods the builder calls, and with what
allowed_values  which values a solution may hold, and what is inside lists, dictionaries and enumerations
implicit_code   which code Python runs for an attribute, a call, a key or a truth, and whether all of it is allowed
inspection      classes, attributes and functions looked up without running any code
isolated        a value with code of the solution's own, made before anything of the puzzle's exists
text_policy     what the text of such a solution must not contain
safe_library    what such a solution gets of Python and of its library
"""
