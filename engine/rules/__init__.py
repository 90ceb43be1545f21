"""Games as data: their definition, its legality, one walk of the phase graph, and named games."""
