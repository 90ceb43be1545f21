"""The whole rulebook: its sections in order, and each phase in a section of its own."""

from __future__ import annotations

from collections.abc import Iterator

from antemill.engine.rules.spec import GameSpec, Phase
from antemill.engine.text.rulebook.general import general_lines
from antemill.engine.text.rulebook.graph import Graph
from antemill.engine.text.rulebook.phases import phase_lines
from antemill.engine.text.rulebook.sections import followers, overview_lines, sequence_lines, visibility_lines
from antemill.engine.text.rulebook.wording import bold, numbers


def rulebook(spec: GameSpec) -> str:
    """The rules of the game as Markdown, ending in a newline; the same spec gives the same text."""
    graph = Graph(spec)
    sections = [
        f"# {spec.name}",
        _section("Overview", overview_lines(graph)),
        _section("General Rules", general_lines(graph)),
        _section("Visibility", visibility_lines(graph)),
        _section("Sequence of Play", sequence_lines(graph)),
        "## Phase Details",
        *_phases(graph),
    ]
    return "\n\n".join(sections) + "\n"


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n\n" + "\n".join(lines)


def _phases(graph: Graph) -> Iterator[str]:
    following = followers(graph)
    for phase in graph.order():
        main = phase.name in graph.places
        title = f"### {phase.name}" if main else f"#### Sub-phase: {phase.name}"
        parts = [title, f"*({_origin(graph, phase)})*", "\n".join(phase_lines(phase, graph))]
        if back := _return(graph, phase, following.get(phase.name, [])):
            parts.append(f"*({back})*")
        yield "\n\n".join(parts)


def _origin(graph: Graph, phase: Phase) -> str:
    """The origins of the phase: its positions in the sequence, and the phases that call it."""
    callers = graph.callers[phase.name]
    places = graph.places.get(phase.name, [])
    origins = []
    if places:
        origins.append(f"main phase {numbers(places)} of {len(graph.spec.sequence)}")
    if callers:
        origins.append(f"called from {bold(callers, 'and')}")
    return "; ".join(origins) or "never played"


def _return(graph: Graph, phase: Phase, following: list[str]) -> str:
    """The phase or phases that follow."""
    callers = graph.callers[phase.name]
    if following and callers:
        return f"Play goes on with {bold(following)}, or returns to {bold(callers)} if it was called from there."
    if following:
        return f"Play goes on with {bold(following)}."
    return f"Play returns to {bold(callers)}{', whichever called' if len(callers) > 1 else ''}." if callers else ""
