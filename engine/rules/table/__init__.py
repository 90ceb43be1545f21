"""A game's rules as rows of numbers, for compiled code.

columns   the columns of a row and their values
schema    the content of each field of a row, derived from the types in `antemill.engine.rules.spec`
order     every node of a table in one order, and questions about lists and conditions
codec     a table from the objects, and the objects from a table
"""
