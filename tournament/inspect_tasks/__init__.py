"""Our matches and duels as tasks of Inspect (the extra antemill[inspect]): `inspect eval antemill/cards`.

cards     a model in games against a bot, a policy or another model, scored by chips, AIVAT, regret and fallbacks
suites    suites of `antemill eval` as samples
duel      a model in duels of puzzles against a bot or another model
asking    a model of Inspect as the model that a duel asks
entry     what Inspect imports to find the tasks
"""
