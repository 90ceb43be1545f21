"""Games in words: names of actions and cards, playouts line by line, rulebooks, and the extensive form as a file."""
