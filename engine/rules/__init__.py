"""What a game is: its definition as data, which definitions are legal, one walk of the phase graph, and named games."""
