"""The table for a person at the terminal, made from the view of the person's seat."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from antemill.engine.machine.events import EVERYONE, Event
from antemill.engine.machine.opcodes import Op
from antemill.engine.machine.program import Program
from antemill.engine.match import Game, Match, Numbers, View
from antemill.engine.match.view import seen_by
from antemill.engine.text.labels import SEATS
from antemill.engine.text.rulebook.wording import cards, chips, rank, start
from antemill.engine.text.wording import Seen, Wording
from antemill.tournament.players.consequences import Question

_SYMBOLS = {"hearts": "♥", "diamonds": "♦", "clubs": "♣", "spades": "♠"}
_FRAME = 16  # lines for everything but the log and the question
_FEWEST_LINES = 6


def symbol_name(program: Program, card: int) -> str:
    """A card with the symbol of its suit: K♥; a suit without a symbol by name."""
    ranks, suits = program.names.ranks, program.names.suits
    suit = suits[card % len(suits)]
    return f"{rank(ranks[card // len(suits)])}{_SYMBOLS.get(suit, f'-{suit}')}"


def wording_for(game: Game, console: Console) -> Wording:
    """The game's sentences with suit symbols, if the terminal can show them."""
    if not (console.encoding or "").lower().replace("-", "").startswith("utf8"):
        return game.wording
    return Wording(game.program, game.spec, symbol_name)


def log_lines(view: View, wording: Wording, game: Game) -> list[str]:
    """The view's log in the wording of this table and the words of the game's prompts."""
    return [game.said(row if isinstance(row, str) else wording.line(row, view.seat)) for row in view.rows]


def styled(line: str, new: bool = True) -> RenderableType:
    """A line of the log: phases as headings, red suits in red, old lines dimmed."""
    text = Text(line, style="" if new else "dim")
    text.highlight_regex(r"\b(?:10|[2-9JQKA])[♥♦]", "red")
    if line.startswith("Phase: "):
        text.stylize("bold cyan")
        return text
    return Padding(text, (0, 0, 0, 2))


def table(match_title: str, view: View, numbers: Numbers, seats: Sequence[str], game: Game, wording: Wording) -> Group:
    """Stacks, pot, deck, board and the person's hand."""
    me, other = view.seat, 1 - view.seat
    grid = Table.grid(padding=(0, 3))
    grid.add_row(Text(f"{SEATS[other]} ({seats[other]})", style="bold"), *_account(other, numbers, game))
    grid.add_row(Text(f"You ({SEATS[me]})", style="bold"), *_account(me, numbers, game))
    middle = [Text(game.said(f"Pot {numbers.pot}"), style="bold yellow"), Text(f"Deck {cards(numbers.deck)}")]
    names = game.names.variables
    middle += [Text(f"{name}: {value}") for name, value in zip(names, numbers.variables, strict=True)]
    rows: list[RenderableType] = [Rule(Text(match_title)), grid, Text("   ").join(middle)]
    if Op.TURN in game.ops:
        rows += [Text("Board"), faces(wording.card_list(view.board))]
    return Group(*rows, Text("Your hand"), faces(wording.card_list(view.hand)))


def _account(seat: int, numbers: Numbers, game: Game) -> list[Text]:
    cells = [Text(chips(numbers.stacks[seat]), style="yellow")]
    if Op.LEAD in game.ops:
        cells.append(Text("leader" if numbers.leader == seat else ""))
    if Op.SCORE in game.ops:
        cells.append(Text(f"score {numbers.score if seat == 0 else -numbers.score}"))
    return cells


def faces(names: Sequence[str]) -> RenderableType:
    """Cards side by side."""
    if not names:
        return Text("  (no cards)", style="dim")
    grid = Table.grid(padding=(0, 1))
    styles = ["red" if name[-1] in "♥♦" else "" for name in names]
    grid.add_row(*(Panel.fit(Text(name, style=f"bold {style}")) for name, style in zip(names, styles, strict=True)))
    return grid


def log_panel(lines: Sequence[str], new_from: int, height: int | None, hint: str = "") -> Group:
    """The end of the log, as much as fits, with new lines highlighted.

    height: of the screen, None for no limit. hint: the command that shows the rest.
    """
    visible = len(lines) if height is None else max(_FEWEST_LINES, height - _FRAME)
    first = max(0, len(lines) - visible)
    shown = [styled(line, i >= new_from) for i, line in enumerate(lines) if i >= first]
    earlier = [Text(f"  ({first} earlier lines{hint})", style="dim")] if first else []
    return Group(Rule("What happened", style="dim"), *earlier, *shown)


def menu_panel(question: Question) -> Group:
    """The question with its numbered answers, and what each of them costs and leads to."""
    heading, menu = Rule(Text(question.phase), style="green"), question.menu
    if menu.amounts:
        stake = [Text(question.stake, style="dim")] if question.stake else []
        which = f"{start(menu.text())}." if menu.high > menu.low else f"Only {menu.low} is possible."
        return Group(heading, Text(f"{question.asks} {which}", style="bold"), *stake)
    secret = [Text("Both choose in secret.", style="dim")] if question.move_type == "simultaneous" else []
    entries = Table.grid(padding=(0, 1))
    for i, label in enumerate(menu.labels):
        price = f" ({chips(question.prices[i])})" if question.prices and question.prices[i] else ""
        leads = [
            Padding(Text(line.lstrip(), "dim"), (0, 0, 0, _indent(line))) for line in question.leads[i].split("\n")
        ]
        entries.add_row(Text(f" {i + 1} ", style="reverse"), Text(f"{label}{price}"), Group(*leads))
    return Group(heading, *secret, entries)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def hidden_lines(match: Match, seat: int, wording: Wording) -> list[str]:
    """The events of a match that the seat has not seen, without secret choices, which are revealed anyway; in the words
    of the game's prompts."""
    lines = []
    for row in match.events():
        kind, actor, x, y, z, content, _, _ = row
        seen = seen_by(row, seat)
        if kind != Event.LOCK and (seen is None or (seen.content is None and content)):
            lines.append(match.game.said(wording.line(Seen(kind, actor, x, y, z, content, EVERYONE), seat)))
    return lines
