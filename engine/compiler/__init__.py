"""From a game's definition to a program of the machine. `compile` is the entry: steps and phases instructions."""
