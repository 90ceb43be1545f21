"""How fast everything is, here: one list of measurements.

`antemill bench`, the README's table, docs/performance.md and the benchmarks of `make bench` take their figures from it.

measure  what a measurement is; its median and spread       table  the list
games    games to measure with                              peers  other systems beside ours
"""
