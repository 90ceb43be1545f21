"""The compiler: from a game's definition to a program of the machine. `compile` is its entry point."""
