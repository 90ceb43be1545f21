"""The sections before the phase details: overview, visibility, sequence of play."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from antemill.engine.text.rulebook.graph import Graph
from antemill.engine.text.rulebook.phases import summary
from antemill.engine.text.rulebook.steps import SPLIT
from antemill.engine.text.rulebook.wording import bullet, cards, chips, listing, rank, variable


def overview_lines(graph: Graph) -> list[str]:
    """Players, deck, chips, and the other objects on the table."""
    spec = graph.spec
    lines = [
        "**Players:** Alice and Bob.",
        f"**Deck:** {_deck(graph)}",
        f"**Starting chips:** {chips(spec.chips)} each. Chips move between the two stacks and the pot, and their total "
        f"of {2 * spec.chips} never changes.",
        "**Pot:** starts at 0.",
    ]
    if "board" in graph.traits:
        lines.append("**Board:** starts empty. Cards on it lie face up for everyone and belong to nobody.")
    if graph.positions:
        lines.append("**Positions:** leader and follower. Alice is the leader at the start.")
    if spec.variables:
        names = listing(variable(label) for label in spec.variables)
        verb = "are public numbers that start" if len(spec.variables) > 1 else "is a public number that starts"
        lines.append(f"**Variables:** {names} {verb} at 0.")
    if "score" in graph.traits:
        lines.append("**Score:** each player has one, starting at 0. It counts like chips in the result.")
    return [bullet(line) for line in lines]


def _deck(graph: Graph) -> str:
    ranks, suits = graph.spec.deck.ranks, graph.spec.deck.suits
    names = ", ".join(map(rank, ranks))
    if len(suits) == 1:
        return f"{cards(len(ranks))} ({names} of {suits[0]}; ranks from low to high)."
    return (
        f"{cards(len(ranks) * len(suits))}: each of the ranks {names} (from low to high) once in each of the suits "
        f"{listing(suits)}."
    )


def visibility_lines(graph: Graph) -> list[str]:
    """The visibility of each kind of information."""
    return [bullet(f"**{topic}:** {text}") for topic, text in _visibility(graph)]


def _visibility(graph: Graph) -> Iterator[tuple[str, str]]:
    yield (
        "Hands",
        "A player sees their own cards only. The opponent's cards, and how many they are, are hidden until a rule "
        "shows them, though the number can often be worked out from what is announced.",
    )
    yield "Public numbers", f"{_public(graph)} are known to both players at all times, and every change is announced."
    yield (
        "Actions",
        "The start of every phase, every choice, and what follows from it are announced to both players, unless they "
        "are marked as private or said to be seen by one player only.",
    )
    if graph.checks:
        yield (
            "Checks",
            'The outcome of a condition marked "(public)" is announced whenever it is tested, not the cards behind it. '
            'The outcome of one marked "(private)" is announced to nobody.',
        )
    if any("visibility" in kind.__struct_fields__ for kind in graph.kinds):
        yield (
            "Levels",
            "What is public is seen by everyone with its content. What is announced is known to have happened, but "
            "only those named see the content. What is private is told to those named alone.",
        )
    yield (
        "Inference",
        '"Private" hides which card it was, which branch was taken, or what was chosen; it does not hide what that '
        "does to public numbers. If the cases differ in chips, in the deck's size or in anything else that is public, "
        "the opponent may conclude from the change which case it was.",
    )
    if "discards" in graph.traits:
        yield "Discards", "A card discarded face down is known to its former owner only."


def _public(graph: Graph) -> str:
    items = ["Both stacks", "the pot", "the number of cards in the deck"]
    if "board" in graph.traits:
        items.append("the board")
    if graph.positions:
        items.append("the positions")
    if "score" in graph.traits:
        items.append("the scores")
    if graph.spec.variables:
        items.append("the variables" if len(graph.spec.variables) > 1 else "the variable")
    return listing(items)


# ---------------------------------------------------------------------------------------------- sequence


def sequence_lines(graph: Graph) -> list[str]:
    """The main phases, numbered."""
    lines = []
    for place, label in enumerate(graph.spec.sequence, start=1):
        phase = graph.phases.get(label)
        lines.append(f"{place}. **{label}**: {summary(phase)}." if phase else f"{place}. **{label}**.")
    last = graph.phases.get(graph.spec.sequence[-1]) if graph.spec.sequence else None
    if last is None or "showdown" not in last.brings:
        lines.append(f"\nIf the sequence is over without an end of the game, the game ends without a winner: {SPLIT}.")
    return lines


def followers(graph: Graph) -> dict[str, list[str]]:
    """For each main phase, the phases that follow it in the sequence, once for each time it is played."""
    following: dict[str, list[str]] = {}
    for label, next_label in pairwise(graph.spec.sequence):
        labels = following.setdefault(label, [])
        if next_label not in labels:
            labels.append(next_label)
    return following
