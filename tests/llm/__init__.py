"""A local server that fails in every way, what each protocol says to the same events, and the suite that all pass."""
