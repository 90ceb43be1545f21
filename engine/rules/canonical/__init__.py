"""When two specs are the same game: a canonical form, which omits every rule that no play depends on, and its digest.

Two games are the same if their extensive forms are isomorphic up to the scale of the payoffs, the exchange of the two
seats, common knowledge, and whatever no payoff depends on. `canonical_form` writes a spec as a text. Equal texts are
the same game, for the reasons that the modules give; a digest of the text identifies the game in pools. The converse
does not hold: two specs of the same game may differ in ways that only a search of the game tree can show. The form is
guaranteed not to change when

- phases, variables, options, suits, texts or the game get other names, or are listed in another order,
- phases that no play reaches, or steps without effect, are added or removed,
- ranks get other values, if rules read only their order; suits are exchanged,
- all chips are multiplied by a factor, if no wager or bid is free and chance never decides about an odd chip,
- the stacks are larger, if they are never exhausted,
- Alice and Bob are exchanged, if nothing but the seat tells them apart.

facts       what the rules of a spec read: reachable phases, roles, variables, suits, the order of ranks
flow        the most that a seat pays, whether a stack is ever exhausted, the unit in which chips move
conditions  conditions, ranges of numbers, De Morgan
writing     steps and phases as texts, and an order for items whose order means nothing
marks       names that only tell things apart: numbered such that no order of listing matters
nameless    the cheaper digest: the spec without its names, as it is written
digests     both digests
"""
