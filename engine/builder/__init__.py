"""The parts of the game builder: the dial and caps, abstract bounds, conditions, effects, phase templates, assembly."""
