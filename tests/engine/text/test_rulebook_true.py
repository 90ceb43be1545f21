"""Rulebooks are true: what happens in random play is described in the section of the phase in which it happens.

Every event must match patterns of its kind (`tests.engine.text.rulebook_claims`) there, with its amount; every option
offered and every decision's phase is named there; every condition tested stands there with its visibility.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.machine.events import ChipReason, Event
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import Auction, FixedBetting, GameSpec, VariableBetting
from antemill.engine.text.rulebook import rulebook
from antemill.engine.text.rulebook.conditions import clause
from tests.engine.text.rulebook_claims import Asked, Note, Witness, available, claims, witness
from tests.engine.text.rulebook_sections import bold_names, phase_sections, top_sections
from tests.naive import RandomChooser
from tests.seeds import seeds
from tests.specs import every_construct

NAMED_GAMES: dict[str, Callable[[], GameSpec]] = {**NAMED, "every-construct": every_construct}
FEW = range(40)
MANY = seeds(40, 120)


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


@pytest.mark.parametrize("block", range(4))
def test_generated_games_go_as_their_rulebooks_say(block: int) -> None:
    for seed in FEW[block::4]:
        compare_many(generate(seed), 10, seed)


@pytest.mark.extended
@pytest.mark.parametrize("seed", MANY)
def test_more_generated_games_go_as_their_rulebooks_say(seed: int) -> None:
    compare_many(generate(seed), 25, seed)
