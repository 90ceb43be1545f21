"""A person at the terminal."""

from __future__ import annotations

import os
from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.rule import Rule
from rich.text import Text

from antemill.engine.match import IllegalChoiceError, Match, Menu
from antemill.engine.text.labels import SEATS
from antemill.engine.text.rulebook import rulebook
from antemill.engine.text.wording import Wording
from antemill.tournament.players import terminal_table
from antemill.tournament.players.consequences import Question, in_words, section
from antemill.tournament.players.ending import ending, result_of
from antemill.tournament.players.observation import Observation
from antemill.tournament.players.player import Choice

_QUIT = ("q", "quit", "exit")
_PROMPT = "Your choice (? rules, l log, q quit): "


class QuitError(Exception):
    """The person has left the table."""


class Human:
    """Asks a person: draws the table before each decision, and asks again after a mistake. At a game in disguise both
    speak the words that prompts have.

    ask: shows a prompt and returns a line; EOFError means that the person has left. shared: the other seat is a
    person at the same terminal, from whom the table must be hidden. title: the table's headline.
    """

    name = "human"

    def __init__(self, console: Console, ask: Callable[[str], str], shared: bool = False) -> None:
        self.console = console
        self.title = "The table"
        self._ask = ask
        self._shared = shared
        self._read = [0, 0]  # number of lines of each seat's log that were shown
        self._wording: Wording | None = None

    def choose(self, observation: Observation) -> Choice:
        """The person's choice. Raises QuitError."""
        if self._shared:
            self._hand_over(observation.seat)
        asked = observation.question()
        question = in_words(asked, observation.game)
        self._draw(observation, question)
        self._read[observation.seat] = len(observation.view().lines)
        while True:
            answer = self._line(_PROMPT).strip()
            try:
                choice = read_choice(question.menu, answer)
                return choice if asked.menu.amounts else asked.menu.choice(question.menu.labels.index(str(choice)))
            except IllegalChoiceError as error:
                self._other_than_a_choice(observation, question, answer, str(error))

    def finish(self, match: Match) -> None:
        """Show the result of a match, and everything that was hidden."""
        seats = [seat for seat in (0, 1) if match.names[seat] == self.name]
        view = match.view(seats[0])
        wording = self._words(match)
        lines = terminal_table.log_lines(view, wording, match.game)
        self._clear()
        height = self.console.height if self.console.is_terminal else None
        self.console.print(Rule(Text(f"{self.title}, the end")))
        self.console.print(
            terminal_table.log_panel(self._visible(lines, view.seat), self._first_new(view.seat), height)
        )
        self._reveal(match, view.seat, wording)
        self.console.print(_result_text(match, view.seat, len(seats) == 2))
        self._read = [0, 0]

    def go_on(self) -> None:
        """Wait until the person wants the next match. Raises QuitError."""
        if self._line("Enter for the next match, q to quit: ").strip().casefold() in _QUIT:
            raise QuitError

    # ------------------------------------------------------------------------------------------ drawing

    def _draw(self, observation: Observation, question: Question) -> None:
        wording, view = self._words(observation), observation.view()
        lines, menu = terminal_table.log_lines(view, wording, observation.game), terminal_table.menu_panel(question)
        height = self.console.height - len(self.console.render_lines(menu)) if self.console.is_terminal else None
        self._clear()
        seats, game = observation.seats, observation.game
        self.console.print(terminal_table.table(self.title, view, observation.numbers(), seats, game, wording))
        shown, new = self._visible(lines, view.seat), self._first_new(view.seat)
        self.console.print(terminal_table.log_panel(shown, new, height, ", l shows them"))
        self.console.print(menu)

    def _visible(self, lines: list[str], seat: int) -> list[str]:
        """Without a terminal nothing is overwritten: only new lines are printed."""
        return lines if self.console.is_terminal else lines[self._read[seat] :]

    def _first_new(self, seat: int) -> int:
        return self._read[seat] if self.console.is_terminal else 0

    def _reveal(self, match: Match, seat: int, wording: Wording) -> None:
        self.console.print(Rule("All cards", style="dim"))
        hands = match.piles().hands
        for who in (seat, 1 - seat):
            owner = f"Your hand ({SEATS[who]})" if who == seat else f"{SEATS[who]}'s hand ({match.names[who]})"
            self.console.print(Text(owner))
            self.console.print(terminal_table.faces(wording.card_list(sum(1 << card for card in hands[who]))))
        if hidden := terminal_table.hidden_lines(match, seat, wording):
            self.console.print(Rule("What you could not see", style="dim"))
            self.console.print(Group(*(terminal_table.styled(line) for line in hidden)))

    def _words(self, what: Observation | Match) -> Wording:
        if self._wording is None or self._wording.program is not what.game.program:
            self._wording = terminal_table.wording_for(what.game, self.console)
        return self._wording

    def _clear(self) -> None:
        if self.console.is_terminal:
            self.console.clear()

    # ------------------------------------------------------------------------------------------ reading

    def _line(self, prompt: str) -> str:
        try:
            return self._ask(prompt)
        except EOFError:
            raise QuitError from None

    def _hand_over(self, seat: int) -> None:
        self._clear()
        self._line(f"{SEATS[seat]}'s turn: press Enter when nobody else is looking. ")

    def _other_than_a_choice(self, observation: Observation, question: Question, answer: str, error: str) -> None:
        """Carry out a command, or report a mistake."""
        command = answer.casefold()
        if command in _QUIT:
            raise QuitError
        if command == "?":
            self._show_rules(observation, question)
        elif command == "l":
            lines = terminal_table.log_lines(observation.view(), self._words(observation), observation.game)
            self._page(Group(*(terminal_table.styled(line) for line in lines)))
        else:
            self.console.print(Text(error, style="red"))
            return
        if self.console.is_terminal:
            self._draw(observation, question)

    def _show_rules(self, observation: Observation, question: Question) -> None:
        """The rules of the phase, then the whole rulebook."""
        spec, said = observation.game.spec, observation.game.said
        book = "The rules of this game are not known, only its program." if spec is None else said(rulebook(spec))
        here = section(book, question.phase)
        self._page(Markdown(f"{here}\n\n---\n\n{book}" if here else book))

    def _page(self, what: RenderableType) -> None:
        """Show a long text in a pager; `less` keeps colours only with an option."""
        options = os.environ.get("LESS", "")
        if "R" not in options:
            os.environ["LESS"] = f"{options} -R".strip()
        with self.console.pager(styles=self.console.is_terminal):
            self.console.print(what)


def read_choice(menu: Menu, answer: str) -> Choice:
    """The choice that a person typed: an option's number, its name or the beginning of it, or an amount.

    Raises IllegalChoiceError, which describes the mistake.
    """
    if menu.amounts:
        place, reason = menu.resolve(answer)
        if place is None or reason is not None:
            raise IllegalChoiceError(f"{_refusal(answer)} Give {menu.text()}.".lstrip())
        return menu.choice(place)
    begun = [label for label in menu.labels if answer and label.casefold().startswith(answer.casefold())]
    exact = [label for label in begun if label.casefold() == answer.casefold()]
    if len(exact or begun) == 1:
        return (exact or begun)[0]
    if answer.isascii() and answer.isdigit() and len(answer) < 4 and 1 <= int(answer) <= len(menu):
        return menu.choice(int(answer) - 1)
    if len(begun) > 1:
        raise IllegalChoiceError(f"'{answer}' could be {' or '.join(begun)}: type more of it, or its number.")
    raise IllegalChoiceError(f"{_refusal(answer)} Choose a number from 1 to {len(menu)}, or a name.".lstrip())


def _refusal(answer: str) -> str:
    return f"'{answer}' is not possible here." if answer else ""


def _result_text(match: Match, seat: int, shared: bool) -> Text:
    """For a person the reason, the sum and the result; for two at one terminal the result alone."""
    end = ending(match, seat)
    style = "bold green" if end.payoff > 0 else "bold red" if end.payoff < 0 else "bold"
    if shared:
        return Text(result_of(end.payoff, SEATS[seat]), style=style)
    return Text("\n").join((Text(end.reason), Text(end.sum), Text(end.result, style=style)))
