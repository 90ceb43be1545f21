"""A game's rules as rows of numbers, for compiled code.

columns   what is where
reading   a table from the objects: `table_of`
writing   the objects, or their JSON, from a table: `spec_of`, `json_of`
parsing   a table from JSON, in parts as small as `scanning` has them
schema    what the JSON looks like
"""
