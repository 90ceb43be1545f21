"""What a choice leads to, in the rulebook's words, for a person at the table or at the terminal, who is "you"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.match import Game, Match, Menu
from antemill.engine.text.labels import SEATS
from antemill.engine.text.rulebook import rulebook
from antemill.engine.text.rulebook.betting import CORRECTED
from antemill.engine.text.rulebook.wording import listing, start

_ITEM = re.compile(r"( *)- (.*)")
_ASIDE = re.compile(r"(\*\*[^*]*\*\*)| \((?!at most)[^()]*\)")  # but for one in a name
_NAMES = re.compile(r'(\*\*[^*]*\*\*|"[^"]*"|«[^»]*»)')  # texts that are the same to every reader
_PAIR = re.compile(r"If Alice chooses \*\*(.+)\*\* AND Bob chooses \*\*(.+)\*\*:")
_REST = re.compile(r"For (?:all other combinations|every combination), .*? \((.*)\):")
_LATER = re.compile(r"Play \*\*|that this will hold")  # from there on other players may have the positions
_PLAYED = re.compile(r"Play \*\*(.*?)\*\*")
_SHORT = 160  # characters of what is told of a phase that an option plays
_TAKEN = re.compile(r"( bets? (\d+ chips?) against .*) No chips move before that\.")
_AUCTION = (
    "The higher bid wins; between equal bids a coin decides. Only the winner pays: the bid goes into the pot. "
    "If both bids are 0, nobody wins."
)
_BASE = {"is": "are", "has": "have"}  # verbs with "you"
ASKED = {"wager": "How many chips do you bet?", "bid": "How many chips do you bid?"}  # by the type of an amount


class Reader(Struct, frozen=True):
    """The player who reads. leader: the seat that leads when the choice is made; None for later rules, in which the
    leader may have changed.
    """

    seat: int
    leader: int | None

    def to_you(self, text: str) -> str:
        """Text of the rulebook in Markdown to this reader, without emphasis and most of what is said aside."""
        return " ".join(self._sentence(one) for one in _sentences(_without_asides(text)))

    def _sentence(self, text: str) -> str:
        end = found.start() if (found := _LATER.search(text)) else len(text)
        text = self._positions(text[:end]) + text[end:]
        parts = [part if i % 2 else self._words(part) for i, part in enumerate(_NAMES.split(text))]
        return start(_own("".join(parts)).replace("**", ""))

    def _positions(self, text: str) -> str:
        if self.leader is None:
            return text
        for who, seat in (("leader", self.leader), ("follower", 1 - self.leader)):
            text = re.sub(rf"(?<!is )(?<!are )(?<!not )\b[Tt]he {who}\b", SEATS[seat], text)
        return text

    def _words(self, text: str) -> str:
        me = SEATS[self.seat] if self.leader is None else f"(?:{SEATS[self.seat]}|[Tt]he player)"
        text = re.sub(rf"\b{me}'s falls\b", "yours falls", text)
        text = re.sub(rf"\b{me}'s\b", "your", text)
        text = re.sub(rf"\b{me}( then)? (\w+s)\b", lambda found: f"you{found[1] or ''} {_base(found[2])}", text)
        return re.sub(rf"\b{me}\b", "you", text)


def _base(verb: str) -> str:
    return _BASE.get(verb, verb.removesuffix("s"))


def _own(sentence: str) -> str:
    """A sentence whose subject is "you" has the reader's possessions and further verbs too."""
    if not re.search(r"(?:^|: |, |If )you (?!pick|play|and)", sentence):
        return sentence
    for other, mine in (
        ("their", "your"),
        ("they owe", "you owe"),
        ("they have", "you have"),
        ("and pays", "and pay"),
        (", pays", ", pay"),
    ):
        sentence = sentence.replace(other, mine)
    return sentence


def _without_asides(text: str) -> str:
    while (shorter := _ASIDE.sub(lambda found: found[1] or "", text)) != text:
        text = shorter
    return text.replace(", then continue here", "")


def _sentences(text: str) -> Iterator[str]:
    """The sentences without those on replies, and without those on when a choice is offered."""
    for one in re.split(r"(?<=\.) (?=[A-Z])", text.replace(CORRECTED, "").strip()):
        if not re.match(r"(It|The option) is (also )?offered ", one):
            yield one


# ---------------------------------------------------------------------------------------------- what is offered


class Question(Struct, frozen=True):
    """A decision to a person. menu: without bids above the stack, which would count as the stack. prices: chips that
    each option takes at once; empty if that is open. leads: for each option what it leads to, see `consequences`.
    stake: what an amount buys. asks: the question for an amount; "" for options.
    """

    phase: str
    move_type: str
    menu: Menu
    prices: list[int]
    leads: list[str]
    stake: str
    asks: str = ""


def question(match: Match) -> Question:
    """The decision at hand. Raises MatchOverError; MatchError without a log."""
    kind, menu, reader = match.decision_type, match.menu, Reader(match.seat, match.numbers.leader)
    stack = match.numbers.stacks[match.seat]
    if kind.move_type == "bid" and menu.high > stack:
        menu = Menu((), (), menu.low, stack)
    book = _book(match.game)
    leads = consequences(book, kind.phase, menu.labels, reader)
    stake = _stake(book, kind.phase, kind.move_type, reader) if menu.amounts else ""
    asks = ASKED[kind.move_type] if menu.amounts else ""
    return Question(kind.phase, kind.move_type, menu, match.prices(), leads, stake, asks)


def in_words(asked: Question, game: Game) -> Question:
    """The question in the words of the game's prompts; its menu is that of `Game.shown`."""
    return replace(
        asked,
        phase=game.said(asked.phase),
        menu=game.shown(asked.menu),
        leads=[game.said(text) for text in asked.leads],
        stake=game.said(asked.stake),
        asks=game.said(asked.asks),
    )


@lru_cache(maxsize=8)
def _book(game: Game) -> str:
    """The rulebook; "" for a game without its rules."""
    return "" if game.spec is None else rulebook(game.spec)


def consequences(book: str, phase: str, options: Sequence[str], reader: Reader) -> list[str]:
    """For each option a line or more; "" if the rules of the phase do not name it. book: in Markdown. Text in
    parentheses is left out, except limits of a payment; the rules of the phase have it.

    Each case has a line of its own; what else belongs to a case is indented below its line, by two spaces a level.
    """
    items = list(_items(section(book, phase)))
    return [_of(book, items, option, reader, ", fallback" in phase) for option in options]


def _stake(book: str, phase: str, move_type: str, reader: Reader) -> str:
    """What an amount buys: the chips of a bid or of a wager."""
    if move_type != "bid":
        return "You pay it into the pot."
    items = list(_items(section(book, phase)))
    for place, (_, text) in enumerate(items):
        if "The winner pays their own bid" in text:
            prize = " ".join(_below(book, items, place, reader))
            return f"{_AUCTION} {prize}"
    return ""


def section(book: str, phase: str) -> str:
    """The section with the longest heading that the phase's name begins with; "" if there is none."""
    parts = re.split(r"(?m)^(?=#{2,4} )", book)
    named = [(match[1], part) for part in parts if (match := re.match(r"#{3,4} (?:Sub-phase: )?(.*)", part))]
    fitting = [(name, part) for name, part in named if phase.startswith(name)]
    return max(fitting, key=lambda one: len(one[0]), default=("", ""))[1]


def _items(section: str) -> Iterator[tuple[int, str]]:
    """The items of the lists: how far each is indented, and its text."""
    for line in section.splitlines():
        if found := _ITEM.match(line):
            yield len(found[1]), found[2]


def _of(book: str, items: Sequence[tuple[int, str]], option: str, reader: Reader, fallback: bool) -> str:
    """fallback: the round is played with a fixed size, which the rules define last."""
    name = f"**{option}**"
    defined = [text.partition(": ")[2] for _, text in items if text.startswith(f"{name}: ")]
    if defined:
        return _TAKEN.sub(_settled, reader.to_you(defined[-1 if fallback else 0]))
    found: list[str] = []
    outcomes: dict[str, list[str]] = {}  # the other player's answers by what they make of it
    for place, (_, text) in enumerate(items):
        if re.match(rf"If .* picks {re.escape(name)}", text):
            found += _below(book, items, place, reader)
        elif against := _answers(text, option, reader.seat):
            outcomes.setdefault("\n".join(_below(book, items, place, reader)), []).extend(against)
    other = SEATS[1 - reader.seat]
    menu = next((text for _, text in items if text.startswith(f"{other} chooses **")), "")
    told = [(one, sorted(answers, key=lambda answer: menu.find(f"**{answer}**"))) for one, answers in outcomes.items()]
    for one, answers in sorted(told, key=lambda case: menu.find(f"**{case[1][0]}**")):
        found += _case(f"If {other} plays {listing(answers, 'or')}:", one.split("\n"))
    return "\n".join(found)


def _settled(found: re.Match[str]) -> str:
    """What a side bet that is taken moves, and when."""
    return (
        f"{found[1]} Then the loser of the bet pays the winner {found[2]} (at most what the loser has). "
        "Without a showdown nobody pays."
    )


def _case(condition: str, lines: Sequence[str]) -> list[str]:
    """A condition with what follows from it: on one line if it is one."""
    return [f"{condition} {lines[0]}"] if len(lines) == 1 else [condition, *(f"  {line}" for line in lines)]


def _answers(text: str, option: str, seat: int) -> list[str]:
    """The choices of the other player which, with this option, have the outcome that the item describes."""
    if chosen := _PAIR.match(text):
        pairs = [[chosen[1], chosen[2]]]
    elif others := _REST.match(text):
        pairs = [pair.split("/") for pair in others[1].split(", ")]
    else:
        return []
    return [pair[1 - seat] for pair in pairs if len(pair) == 2 and pair[seat] == option]


def _below(book: str, items: Sequence[tuple[int, str]], place: int, reader: Reader) -> list[str]:
    """The lines of the items that belong to the one at this place, each phase that is played with its rules."""
    found: list[tuple[int, str]] = []
    for indent, text in _under(items, place):
        found.append((indent, reader.to_you(text)))
        if played := _PLAYED.match(text):
            reader = replace(reader, leader=None)
            found.append((indent, _called(book, played[1], reader)))
    return _lines([item for item in found if item[1]])


def _under(items: Sequence[tuple[int, str]], place: int) -> list[tuple[int, str]]:
    """The items that belong to the one at this place."""
    depth = items[place][0]
    return list(takewhile(lambda one: one[0] > depth, items[place + 1 :]))


def _lines(items: Sequence[tuple[int, str]]) -> list[str]:
    """Steps that follow one another are one line, and each case another."""
    found: list[str] = []
    steps: list[str] = []
    for place, (indent, text) in enumerate(items):
        if indent > items[0][0]:
            continue
        if not (under := _under(items, place)):
            steps.append(text)
            continue
        found += [" ".join(steps)] if steps else []
        steps = []
        found += _case(text, _lines(under))
    return [*found, " ".join(steps)] if steps else found


def _called(book: str, phase: str, reader: Reader) -> str:
    """The rules of a phase that is played, if they are short; else their first sentence, if it is one."""
    told = [reader.to_you(text) for _, text in _items(section(book, phase))]
    if len(whole := " ".join(told)) <= _SHORT:
        return whole
    first = re.match(r"[^.]*\.", told[0])
    return first[0] if first and len(first[0]) <= _SHORT else ""
