"""How fast everything is on this machine: one list of measurements.

`antemill bench`, the benchmarks of `make bench`, docs/performance.md and docs/measurements.md take their figures from
it.

measure       what a measurement is; its median and spread   measurements  the list
sample_games  games to measure with                          peers         other systems beside ours
"""
