"""The general rules: those of every game, and those that a part of this game needs."""

from __future__ import annotations

from collections.abc import Iterator

from antemill.engine.rules import spec as rules
from antemill.engine.text.rulebook.betting import AMOUNTS
from antemill.engine.text.rulebook.graph import Graph
from antemill.engine.text.rulebook.wording import bullet, chips, listing


def general_lines(graph: Graph) -> list[str]:
    """The bullets of the section, each with its topic in bold."""
    return [bullet(f"**{topic}:** {text}") for topic, text in _rules(graph)]


def _rules(graph: Graph) -> Iterator[tuple[str, str]]:
    yield "Aim", _aim(graph)
    yield from _chip_rules(graph)
    yield from _choice_rules(graph)
    yield (
        "Order of steps",
        "The steps of a phase and of an effect are carried out one after another. A step that is impossible when its "
        "turn comes (say, because a hand or the deck is empty) is skipped, and the later steps still take place. "
        "A condition is tested when its turn comes; conditions that follow each other do not exclude each other.",
    )
    yield "Chance", "Every random selection is uniform, every coin is fair, and none depends on another."
    yield from _card_rules(graph)
    if graph.positions:
        yield "Positions", _positions(graph)
    yield "End of the game", _end(graph)


def _aim(graph: Graph) -> str:
    score = " plus their score" if "score" in graph.traits else ""
    text = (
        "Maximize your expected chips: the mean of your result counts, not how often you win. A player's result is "
        f"their final stack{score} minus the {chips(graph.spec.chips)} they started with. What one player gains, the "
        "other loses."
    )
    if "score" not in graph.traits:
        return text
    return f"{text} The score starts at 0 and may fall below; a point of it is worth a chip, but no chips move."


def _chip_rules(graph: Graph) -> Iterator[tuple[str, str]]:
    yield (
        "Payments",
        "A payment moves only what is available: whoever has fewer chips than the stated amount (a player or the pot) "
        "pays what there is, perhaps nothing. Nobody ever goes into debt. Every movement of chips is announced.",
    )
    costs = [option.cost for node in graph.nodes if type(node) is rules.ActionRound for option in node.options]
    if any(costs):
        yield (
            "Costs",
            "A cost is paid into the pot before the effect of the option. An option with a stated cost is offered only "
            "to a player who can pay it in full. With a cost that falls due by chance, the player first commits to the "
            "option; if the cost falls due and cannot be paid in full, nothing is paid, the effect is skipped, and the "
            "pick is used up.",
        )
    if graph.has(rules.SideBet):
        yield (
            "Side bets",
            "A side bet is settled between the two stacks at the showdown, after the hands are revealed and before the "
            "pot is awarded. A game that ends earlier voids it.",
        )


def _choice_rules(graph: Graph) -> Iterator[tuple[str, str]]:
    text = (
        "The player to act gets a menu of everything that is allowed now, and is asked even if only one option is "
        "left. A missing answer, or one that is not on the menu, is replaced by a uniformly random option of the menu."
    )
    if "options" in graph.traits:
        text += " An option stays on the menu even when its effect would do nothing (say, because a hand is empty)."
    yield "Choices", text
    if amounts := [amount for amount in ("wagers", "bids") if amount in graph.traits]:
        yield "Amounts", f"For {' and '.join(amounts)}, {AMOUNTS}. Play continues with the corrected amount."
    if "secret" in graph.traits:
        yield (
            "Secret choices",
            "Where both players choose in secret, neither learns anything of the other's choice before both are "
            "locked. Alice is asked first, which makes no difference.",
        )
    if "betting" in graph.traits:
        yield (
            "Betting",
            "A bet or call that exceeds the player's stack is all-in with what is left of it. What the other player "
            "cannot match of a bet goes back to the bettor.",
        )


def _card_rules(graph: Graph) -> Iterator[tuple[str, str]]:
    if "deck" in graph.traits:
        yield (
            "Deck",
            "Each card that leaves the deck is a random one of those that remain. If fewer remain than are asked for, "
            "all of them are taken; if none remain, the step does nothing.",
        )
    if "discards" in graph.traits:
        back = any(type(node) is rules.Shuffle and node.discard_pile for node in graph.nodes)
        text = "Discarded cards go to the discard pile, which nobody may look at."
        yield (
            "Discard pile",
            f"{text} Some steps shuffle it back into the deck." if back else f"{text} They are out of play.",
        )
    if "hands" in graph.traits:
        yield "Hands", "There is no limit to the size of a hand, and it may become empty."
    if len(graph.spec.deck.suits) > 1 and _arrival(graph):
        yield (
            "Equal ranks",
            "Where the lowest-ranked or highest-ranked card of a hand is called for and several share that rank, it is "
            "the one that came into the hand first. A swapped or stolen card counts as new.",
        )
    if graph.has(rules.HasHigherCard):
        yield (
            "Higher card",
            "A check for the card of higher rank holds only if the rank is strictly higher. An empty hand is below "
            "every card, so the check fails for two empty hands and for equal ranks.",
        )
    if len(graph.spec.deck.suits) > 1 and not graph.suited:
        yield "Suits", "Suits only tell cards apart: no rule of this game depends on them."


def _arrival(graph: Graph) -> bool:
    return any(
        (type(node) is rules.Discard and node.which != "random")
        or (type(node) is rules.Reveal and node.which == "highest")
        for node in graph.nodes
    )


def _positions(graph: Graph) -> str:
    text = "One player is the leader, the other the follower. Alice leads at the start"
    if "positions" not in graph.traits:
        return f"{text} and throughout."
    return (
        f"{text}, until a phase assigns the positions anew. Rules that name a position mean whoever holds it at that "
        "moment."
    )


def _end(graph: Graph) -> str:
    ends = ["at the showdown"]
    if "betting" in graph.traits:
        ends.append("when a player folds")
    if "end" in graph.traits:
        ends.append("when a rule says so")
    return f"The game ends {listing(ends, 'or')}. Everything that would still follow is then skipped."
