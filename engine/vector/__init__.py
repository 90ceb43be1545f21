"""Games as arrays, for learning algorithms. `antemill.tournament.adapters` connects them to other frameworks.

state_observation   a seat's view of a state, as a vector
event_observation   the events that a seat saw after its last decision, as rows of numbers
play                many episodes, a step at a time, with both observations
"""
