"""Rules about the game as a whole: deck, names, the phase graph, and the opening."""

from __future__ import annotations

from antemill.engine.rules.legality.facts import Facts
from antemill.engine.rules.legality.registry import (
    MAX_CONDITIONALS,
    MAX_DEPTH,
    MAX_PLAY,
    MAX_RANK,
    plain,
    quoted,
    repeated,
    rule,
)
from antemill.engine.rules.limits import MAX_CALLS, MAX_SIDE_BETS, MAX_VARIABLES
from antemill.engine.rules.spec import (
    AddToVariable,
    BettingLoop,
    GameSpec,
    Showdown,
    SideBet,
    VariableIs,
)
from antemill.engine.rules.walk import BRANCHING, branches, decision_phases


@rule(GameSpec)
def deck_ranks(_facts: Facts, _: None, spec: GameSpec) -> str | None:
    """Ranks ascend strictly, since the order of card ids relies on it."""
    ranks = spec.deck.ranks
    if list(ranks) != sorted(set(ranks)):
        return "Deck: the ranks must ascend, each named once; sort them."
    if ranks[0] < 1 or ranks[-1] > MAX_RANK:
        return f"Deck: every rank must be from 1 to {MAX_RANK}."
    return None


@rule(GameSpec)
def deck_suits(facts: Facts, _: None, spec: GameSpec) -> str | None:
    """Suits have different names."""
    if len(facts.suits) < len(spec.deck.suits) or not all(map(plain, spec.deck.suits)):
        return "Deck: every suit needs a printable name of its own."
    return None


@rule(GameSpec)
def game_names(_facts: Facts, _: None, spec: GameSpec) -> str | None:
    """The names of the game and of its variables fit into texts."""
    odd = [name for name in (spec.name, *spec.variables) if not plain(name)]
    return f"The names {quoted(odd)} must be printable, in one line, without spaces around them." if odd else None


@rule(GameSpec)
def phase_names_unique(_facts: Facts, _: None, spec: GameSpec) -> str | None:
    """Each name identifies one phase, including the names that betting rounds give to their decisions."""
    names = [phase.name for phase in spec.phases]
    for phase in spec.phases:
        names.extend(decision_phases(phase))
    if len(set(names)) == len(names):
        return None
    return (
        f"Several phases are called {quoted(repeated(names))}, counting the decisions of betting rounds; rename them."
    )


@rule(GameSpec)
def variables_used(facts: Facts, _: None, spec: GameSpec) -> str | None:
    """Each variable is declared once, and some rule reads or changes it."""
    if twice := repeated(spec.variables):
        return f"Variables: {quoted(twice)} is declared more than once."
    if len(spec.variables) > MAX_VARIABLES:
        return f"Variables: there are {len(spec.variables)}, at most {MAX_VARIABLES} are allowed."
    used = {node.variable for kind in (VariableIs, AddToVariable) for _, node in facts.nodes.get(kind, ())}
    idle = facts.variables - used - facts.loops.keys()
    return f"Variables: nothing uses {quoted(sorted(idle))}; remove it." if idle else None


@rule(GameSpec)
def sequence_known(facts: Facts, _: None, spec: GameSpec) -> str | None:
    """The main phases exist."""
    unknown = [name for name in spec.sequence if name not in facts.phases]
    return f"Sequence: there is no phase {quoted(unknown)}; add it or correct the name." if unknown else None


@rule(GameSpec)
def one_showdown(facts: Facts, _: None, spec: GameSpec) -> str | None:
    """The sequence ends with the game's only showdown."""
    kinds = [type(facts.phases.get(name)) for name in spec.sequence]
    if kinds[-1] is not Showdown or kinds.count(Showdown) > 1:
        return "Sequence: it must end with a showdown and hold no other; move or add one."
    return None


@rule(GameSpec)
def acyclic(facts: Facts, _: None, _spec: GameSpec) -> str | None:
    """No phase performs itself, directly or through others."""
    if cycle := facts.sizes.cycle:
        return f"Phase {quoted(dict.fromkeys(cycle))} ends up performing itself; break the cycle."
    return None


@rule(GameSpec)
def reachable(facts: Facts, _: None, _spec: GameSpec) -> str | None:
    """Every phase is in the sequence, or a reached phase performs it or loops over it."""
    if lost := [name for name in facts.phases if name not in facts.sizes.known]:
        return f"Phase {quoted(lost)} is never reached; put it into the sequence, perform it, or remove it."
    return None


@rule(GameSpec)
def depth_bounded(facts: Facts, _: None, spec: GameSpec) -> str | None:
    """Nesting is bounded: a reader can follow it, and the machine's call stack is finite."""
    main = {name: facts.sizes.known[name] for name in spec.sequence if name in facts.phases}
    if deep := [name for name, size in main.items() if size.depth > MAX_DEPTH]:
        return f"Phase {quoted(deep)} performs phases more than {MAX_DEPTH} deep; flatten them."
    if deep := [name for name, size in main.items() if size.calls > MAX_CALLS]:
        return (
            f"Phase {quoted(deep)} has more than {MAX_CALLS} calls active at the same time, counting phases named "
            "several times and rounds with several picks; flatten them."
        )
    return None


@rule(GameSpec)
def has_decision(facts: Facts, _: None, _spec: GameSpec) -> str | None:
    """A game has at least one decision."""
    if "choice" in facts.traits:
        return None
    return "No player ever decides anything; add a betting round or another phase with a choice."


@rule(GameSpec)
def play_bounded(facts: Facts, _: None, _spec: GameSpec) -> str | None:
    """A play has a bounded length: loops inside loops could make it endless in practice."""
    steps = facts.sizes.game().length
    return (
        f"A play could take {steps} steps, at most {MAX_PLAY} are allowed; shorten the loops."
        if steps > MAX_PLAY
        else None
    )


@rule(GameSpec)
def counts_bounded(facts: Facts, _: None, _spec: GameSpec) -> str | None:
    """The numbers of branches and of side bets, which the machine marks in tables of fixed size."""
    conditionals = sum(branches(node) for kind in BRANCHING for _, node in facts.nodes.get(kind, ()))
    if conditionals > MAX_CONDITIONALS:
        return f"The game has {conditionals} conditionals, at most {MAX_CONDITIONALS} are allowed."
    wagers = len(facts.nodes.get(SideBet, ()))
    return f"The game has {wagers} side bets, at most {MAX_SIDE_BETS} are allowed." if wagers > MAX_SIDE_BETS else None


@rule(GameSpec)
def shuffled_first(facts: Facts, _: None, _spec: GameSpec) -> str | None:
    """A shuffle certainly comes before the first card leaves the deck, and before the first choice or condition."""
    opening = facts.opening
    if opening.unshuffled:
        return "Sequence: a card leaves the deck before it is shuffled; begin the first phase with a shuffle."
    if not opening.shuffled and "deck" in facts.traits:
        return (
            "Sequence: cards are dealt from a deck that is not shuffled at the very beginning, before any choice, "
            "condition or performed phase; begin the first phase with a shuffle."
        )
    return None


@rule(GameSpec)
def deck_suffices(facts: Facts, _: None, _spec: GameSpec) -> str | None:
    """The deck has enough cards for the deals before the first choice or condition."""
    if facts.opening.cards > facts.cards:
        return f"Deck: {facts.opening.cards} cards are dealt before the first choice, but there are only {facts.cards}."
    return None


@rule(GameSpec)
def antes_affordable(facts: Facts, _: None, spec: GameSpec) -> str | None:
    """Players can pay all antes before the first choice, and have chips left if betting follows."""
    left = spec.chips - max(facts.opening.paid)
    stop = facts.opening.stop
    if left < 0:
        return f"Chips: the first antes come to {spec.chips - left}, but a player has only {spec.chips}."
    if isinstance(stop, BettingLoop) and left <= stop.stop_at < spec.chips:
        return (
            f"Phase '{stop.name}': it never plays a round, as the antes leave {left} chips; lower stop_at or the antes."
        )
    if stop is not None and "betting" in stop.brings and left == 0:
        return f"Phase '{stop.name}': the antes leave a player nothing to bet with; lower them."
    return None


@rule(GameSpec)
def later_phases_played(facts: Facts, _: None, spec: GameSpec) -> str | None:
    """Only the last main phase always ends the game."""
    if "end" not in facts.traits:
        return None
    final = [name for name in spec.sequence[:-1] if facts.endings.named(name)]
    return (
        f"Phase {quoted(final)} always ends the game, so later main phases are never played; make it depend."
        if final
        else None
    )
