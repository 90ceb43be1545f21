"""The instructions, a short function each, by family. `antemill.engine.machine.opcodes` lists their operands and
meanings.

An instruction changes a state. An instruction that jumps returns the next row: `~row` to ask for a chance draw first,
`END` when the game is over. `game` is a state of the game too; only its constants of the cards are read.
"""
