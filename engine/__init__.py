"""The game engine: rules as data, compiled to integer tables and played by one numba virtual machine.

The pipeline in order: `spec` (what a game is), `generate` (a game from a seed), `check`, `compile`, `program`, `vm`,
`rollout`; beside it the rulebook, the match of one game between two players, the event list, storage of pools, and the
execution layer. Imports none of our other packages.
"""
