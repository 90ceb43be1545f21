"""The instructions, a short function each, by family. `antemill.engine.machine.opcodes` lists their operands and
meanings.

An instruction changes a state. One that decides where to go on returns the row: `~row` to ask for a chance draw first,
`END` when the game is over. `game` is a state, too, of which only the constants of the cards are read.
"""
