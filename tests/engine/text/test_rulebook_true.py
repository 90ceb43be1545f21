"""Rulebooks are true: what happens in random play is described in the section of the phase in which it happens.

Every event must match patterns of its kind (`tests.engine.text.rulebook_claims`) there, with its amount; every option
offered and every decision's phase is named there; every condition tested stands there with its visibility. What the
words for conditions mean is tested on its own: they are read back and evaluated.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from typing import get_args

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.machine.events import Chance, ChipReason, Event
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import Auction, Condition, FixedBetting, GameSpec, VariableBetting
from antemill.engine.rules.walk import walk
from antemill.engine.text.rulebook import rulebook
from antemill.engine.text.rulebook.conditions import clause
from tests.engine.text.rulebook_claims import Asked, Note, Witness, available, claims, witness
from tests.engine.text.rulebook_sections import bold_names, phase_sections, top_sections
from tests.naive import RandomChooser
from tests.naive.conditions import COMPARE, holds
from tests.naive.state import Decision, Table
from tests.seeds import seeds
from tests.specs import every_construct

NAMED_GAMES: dict[str, Callable[[], GameSpec]] = {**NAMED, "every-construct": every_construct}
FEW = range(40)
MANY = seeds(40, 400)


class Reader:
    """A rulebook and what it has been compared with."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.text = rulebook(spec)
        self.sections = phase_sections(self.text)
        self.names = {name: set(bold_names(section)) for name, section in self.sections.items()}
        self.kinds: Counter[Event] = Counter()
        self.known: set[tuple[str, str, int, int]] = set()

    def compare(self, game: Witness) -> None:
        for note in game.notes:
            self.kinds[note.row.kind] += 1
            self.event(note)
        for asked in game.asked:
            self.decision(asked)
        for test in game.tests:
            tag = " (public)" if test.public else " (private: "
            assert f"If {clause(test.condition)}{tag}" in self.sections[test.phase], f"{test} is not described"
        self.sequence(game)

    def event(self, note: Note) -> None:
        """The section has, for each of the event's patterns, a line with it and the right amount."""
        for pattern in claims(self.spec, note):
            x = note.row.x if isinstance(note.row.x, int) else 0
            most = available(note) if "(?P<n>" in pattern else 0
            if (key := (note.phase, pattern, x, most)) in self.known:
                continue
            stated = [match.groupdict().get("n") for match in re.finditer(pattern, self.sections[note.phase])]
            assert stated, f"{note.phase}: nothing like {pattern} for {note.row}"
            if "(?P<n>" in pattern:
                assert x in [min(int(n), most) for n in stated if n], f"{note.phase}: {stated} but {note.row}"
            self.known.add(key)
        if note.row.kind == Event.CHIPS and note.row.z == ChipReason.RAISE:
            phase = self.spec.phase(note.phase)
            assert isinstance(phase, FixedBetting)
            more = re.search(r"what they owe and (\d+) chips? more", self.sections[note.phase])
            assert more
            assert note.row.x == min(note.owed + int(more[1]), available(note))

    def decision(self, asked: Asked) -> None:
        """The section names the decision and its options, or states the range of the amount."""
        section, names, decision = self.sections[asked.phase], self.names[asked.phase], asked.decision
        assert decision.phase == asked.phase or decision.phase in names
        if decision.move_type not in ("wager", "bid"):
            assert set(decision.labels) <= names
            return
        phase = self.spec.phase(asked.phase)
        if decision.move_type == "bid":
            assert isinstance(phase, Auction)
            stated = re.search(r"a bid \*\*from 0 to (\d+) chips?\*\*", section)
            assert stated
            assert decision.menu == tuple(range(int(stated[1]) + 1))
            return
        assert isinstance(phase, VariableBetting)
        stated = re.search(r"a whole number of chips from 1 to (?:(\d+), or to )?their whole stack", section)
        assert stated
        stack = decision.chips[decision.seat]
        assert decision.menu == tuple(range(1, min(int(stated[1] or stack), stack) + 1))

    def sequence(self, game: Witness) -> None:
        """Main phases start in the numbered order, and callers name the phases that they call."""
        listed = re.findall(r"^\d+\. \*\*(.+?)\*\*", top_sections(self.text)["Sequence of Play"], re.MULTILINE)
        starts = [note for note in game.notes if note.row.kind == Event.PHASE]
        main = [note.phase for note in starts if not note.caller]
        assert main == listed[: len(main)]
        for note in starts:
            assert not note.caller or note.phase in self.names[note.caller]


def compare_many(spec: GameSpec, episodes: int, first: int = 0) -> Reader:
    reader = Reader(spec)
    for seed in range(first, first + episodes):
        reader.compare(witness(spec, RandomChooser(seed)))
    return reader


@pytest.mark.parametrize("name", list(NAMED_GAMES))
def test_named_games_go_as_their_rulebooks_say(name: str) -> None:
    reader = compare_many(NAMED_GAMES[name](), 200)
    assert reader.kinds[Event.PHASE] > 200


def test_every_kind_of_event_has_been_compared() -> None:
    """Random play of one game brings about every kind there is, so none of the patterns is idle."""
    assert set(compare_many(every_construct(), 300).kinds) == set(Event)


@pytest.mark.parametrize("block", range(4))
def test_generated_games_go_as_their_rulebooks_say(block: int) -> None:
    for seed in FEW[block::4]:
        compare_many(generate(seed), 10, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_more_generated_games_go_as_their_rulebooks_say(seed: int) -> None:
    compare_many(generate(seed), 25, seed)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("pays 3 chips to", "pays 4 chips to"),
        ("**Parry**", "**Perry**"),
        ("announced draw", "public draw"),
        ("Round (Round 1): bet or check**", "Round (Round 1): check or bet**"),
        ("holds more than 2 chips (public)", "holds more than 2 chips (private)"),
        ("what they owe,", "whatever they like,"),
        ("from 0 to 3 chips", "from 0 to 2 chips"),
        ("called from", "reached from"),
        ("1. **Setup**", "1. **Ante Phase**"),
    ],
)
def test_a_wrong_rulebook_is_found(wrong: str, right: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = NAMED["appendix-b"]()
    text = rulebook(spec)
    assert wrong in text
    monkeypatch.setattr("tests.engine.text.test_rulebook_true.rulebook", lambda _spec: text.replace(wrong, right))
    with pytest.raises(AssertionError):
        compare_many(spec, 200)


# ---------------------------------------------------------------------------------------------- conditions

FACES = {"J": 11, "Q": 12, "K": 13, "A": 14}
OPS = {"fewer than": "<", "less than": "<", "at most": "<=", "exactly": "==", "at least": ">=", "more than": ">"}
_OP = rf"({'|'.join(OPS)})"
_NOT = r"(does not have|does not hold|is not|has|holds|is)"
Meaning = Callable[[Table], bool]


def read(text: str) -> Meaning:
    """The meaning of a clause, from its words alone."""
    if text.startswith("it is not true that "):
        inner = read(text.removeprefix("it is not true that "))
        return lambda table: not inner(table)
    parts, joint = split(text)
    if joint:
        tests = [read(part) for part in parts]
        every = all if joint == "AND" else any
        return lambda table: every(test(table) for test in tests)
    if text.startswith("("):
        return read(text[1:-1])
    return leaf(text)


def split(text: str) -> tuple[list[str], str]:
    """The parts of a composed clause and what joins them; parentheses hold together."""
    parts, joints, depth = [""], set[str](), 0
    for word in re.split(r"( AND | OR |\(|\))", text):
        depth += (word == "(") - (word == ")")
        if depth == 0 and word in (" AND ", " OR "):
            joints.add(word.strip())
            parts.append("")
        else:
            parts[-1] += word
    assert len(joints) <= 1, f"ambiguous: {text}"
    return parts, joints.pop() if joints else ""


def leaf(text: str) -> Meaning:
    """The meaning of a clause without parts."""
    if text == "the game is still in progress":
        return lambda _table: True
    if found := re.fullmatch(rf"(.+?) {_NOT} {_OP} (-?\d+)(?: (chip|card)s?(?: in hand)?)?", text):
        subject, verb, op, value, unit = found.groups()
        return lambda table: ("not" in verb) != COMPARE[OPS[op]](number(table, subject, unit), int(value))
    if found := re.fullmatch(r"(.+?)'s highest card (is|is not) of higher rank than .+'s highest card", text):
        owner, verb = found.groups()
        return lambda table: (verb == "is") == (top(table, owner) > top(table, owner, opponent=True))
    if found := re.fullmatch(r"(?:(.+?)'s hand has|the board shows) (a|no) card of rank (.+)", text):
        owner, article, names = found.groups()
        ranks = {FACES.get(rank) or int(rank) for rank in re.split(r", | or ", names)}
        return lambda table: (article == "a") == bool(ranks & {table.rank(card) for card in pile(table, owner)})
    if found := re.fullmatch(r"(.+?)'s hand has (a|no) card of (.+)", text):
        owner, article, suit = found.groups()
        return lambda table: (article == "a") == (suit in map(table.suit_name, pile(table, owner)))
    found = re.fullmatch(r"(Alice|Bob) (is|is not) the leader", text)
    assert found, f"cannot read: {text}"
    name, verb = found.groups()
    return lambda table: (verb == "is") == (table.leader == seat(table, name))


def seat(table: Table, name: str) -> int:
    return table.seat(name.removeprefix("the ").lower())


def pile(table: Table, owner: str | None) -> list[int]:
    return table.hands[seat(table, owner)] if owner else table.board


def top(table: Table, owner: str, opponent: bool = False) -> int:
    place = seat(table, owner)
    return max((table.rank(card) for card in table.hands[1 - place if opponent else place]), default=0)


def number(table: Table, subject: str, unit: str | None) -> int:
    if subject.startswith("«"):
        return table.variables[subject.strip("«»")]
    if subject == "the pot":
        return table.pot
    if subject == "the deck":
        return len(table.deck)
    place = seat(table, subject)
    return table.stacks[place] if unit == "chip" else len(table.hands[place])


class NoChooser:
    """No player is asked."""

    def decide(self, _decision: Decision) -> int:
        raise AssertionError

    def chance(self, _kind: Chance, _seat: int, _occurrence: int, _n: int) -> int:
        raise AssertionError


def random_table(spec: GameSpec, dice: random.Random) -> Table:
    """Cards, chips, variables and positions at random, sparse and skewed so that rare cases come up."""
    table = Table(spec, NoChooser(), True)
    cards = table.deck
    dice.shuffle(cards)
    for taker in (*table.hands, table.board):
        for _ in range(min(dice.choice((0, 1, 1, 2, 3)), len(cards))):
            taker.append(cards.pop())
    del cards[dice.randrange(len(cards) + 1) :]
    table.stacks = [dice.randrange(2 * spec.chips + 1), dice.randrange(2 * spec.chips + 1)]
    table.pot = dice.randrange(2 * spec.chips + 1)
    table.leader = dice.randrange(2)
    for name in spec.variables:
        table.variables[name] = dice.randrange(-1, 6)
    return table


def conditions(spec: GameSpec) -> list[Condition]:
    """All of a game's conditions, and their parts."""
    return [node for _, node in walk(spec) if isinstance(node, Condition)]


def disagreement(condition: Condition, spec: GameSpec, dice: random.Random, tables: int) -> str | None:
    """A clause that means something else than its condition."""
    meaning = read(clause(condition))
    for _ in range(tables):
        table = random_table(spec, dice)
        if meaning(table) != holds(condition, table):
            return clause(condition)
    return None


def test_conditions_mean_what_their_words_say() -> None:
    dice = random.Random(7)
    specs = [every_construct(), NAMED["appendix-b"](), *map(generate, range(60))]
    kinds: Counter[type] = Counter()
    for spec in specs:
        for condition in conditions(spec):
            kinds[type(condition)] += 1
            assert disagreement(condition, spec, dice, 40) is None
    assert {kind.__name__ for kind in kinds} == {part.__name__ for part in get_args(Condition)}


def test_a_clause_with_another_meaning_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "antemill.engine.text.rulebook.conditions.comparison", lambda op: "at least" if op == ">" else "at most"
    )
    spec = NAMED["appendix-b"]()
    assert any(disagreement(condition, spec, random.Random(1), 200) for condition in conditions(spec))
