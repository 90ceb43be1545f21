"""A game's rules as rows of numbers, for compiled code.

columns   which number stands where
schema    what each field of a row holds, derived from the types in `antemill.engine.rules.spec`
order     every node of a table in one order, and questions about lists and conditions
codec     a table from the objects, and the objects from a table
"""
