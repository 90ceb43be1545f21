"""When two specs are the same game: a form of the rules without what no play depends on, and its digest.

Two games are the same if their extensive forms are isomorphic up to the scale of the payoffs, the exchange of the two
seats, what is common knowledge anyway, and what no payoff depends on. `form` writes a spec down such that equal
texts are the same game, for the reasons that the modules give; a digest of the text is the game's name in pools. The
converse cannot be had cheaply: two specs of the same game may differ in ways that need a search of the game tree to
see. What is guaranteed is that the form does not change when

- phases, variables, options, suits, texts or the game are named otherwise, or listed in another order,
- phases that no play reaches, or steps without effect, are added or removed,
- ranks get other values, as far as rules read their order alone; suits change places,
- all chips are multiplied by a factor, if no wager or bid is free and no odd chip is ever drawn for,
- the stacks are larger, where they are never exhausted,
- Alice and Bob change places, where nothing but the seat tells them apart.

facts       what the rules of a spec read: reachable phases, roles, variables, suits, the order of ranks
flow        how much a seat pays at most, whether a stack is ever exhausted, the unit in which chips move
conditions  conditions, ranges of numbers, De Morgan
writing     steps and phases as texts, and the order of what has none
marks       names that only tell things apart: numbered such that no order of listing matters
nameless    the cheaper digest: the spec without its names, as it is written
digests     both digests
"""
