"""Phases as canonical texts; `writing` does the same for steps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice, permutations, product
from typing import TypeAlias

from antemill.engine.rules.canonical.writing import InformOnly, Item, StepWriter
from antemill.engine.rules.spec import (
    ActionRound,
    Auction,
    BettingLoop,
    FixedBetting,
    Observation,
    Option,
    Phase,
    Positions,
    Showdown,
    SideBet,
    Simultaneous,
    Steps,
    VariableBetting,
)
from antemill.engine.rules.walk import reads_hidden

ARRANGEMENTS = 720  # the most orders of the rows of a simultaneous round that are compared

_Rows: TypeAlias = Sequence[Sequence[str]]


class Writer(StepWriter):
    """Writes a spec down."""

    def game(self) -> str:
        """The whole game."""
        facts, spec = self.facts, self.facts.spec
        ranks = facts.ranks
        deck = (
            f"{len(spec.deck.ranks)} {len(spec.deck.suits)} {ranks.suited} {ranks.values}" if facts.deck_matters else ""
        )
        chips = "" if facts.flow.free else str(self.chips(spec.chips))
        lead = self.seats["alice"] if facts.roles else ""
        *items, showdown = [item for name in spec.sequence for item in self.phase(facts.phases[name])]
        while items and isinstance(items[-1], InformOnly):
            items.pop()
        items.append(showdown)
        return f"deck {deck};chips {chips};lead {lead};{self.text(items)}"

    def phase(self, phase: Phase) -> list[Item]:
        """A phase as items; none if it has no effect."""
        match phase:
            case Steps():
                return self.items(phase.steps, known=True)
            case BettingLoop():
                return self._loop(phase)
            case Observation():
                return self._observation(phase)
        text = self._round(phase)
        return [InformOnly(text) if text == "compare" else text] if text else []

    def _round(self, phase: Phase) -> str:
        seats = self.seats
        match phase:
            case FixedBetting():
                most, raises = self.facts.flow.bets[phase.name]
                return f"bet {seats[phase.opener]} {self.chips(most)} {raises}"
            case VariableBetting():
                return f"bet {seats[phase.opener]} up to {self.facts.flow.bets[phase.name][0]}"
            case ActionRound():
                options = self.marks.order(self._option(option, phase.public) for option in phase.options)
                how = "open" if phase.public else "secret"
                return f"act {how} {seats[phase.player]} {phase.picks}[{'|'.join(options)}]"
            case Simultaneous():
                return self._simultaneous(phase)
            case Auction():
                return f"auction {self.chips(phase.max_bid)} {self.plain(phase.prize, known=True)}"
            case Positions():
                return self._positions(phase)
            case SideBet():
                bet = self.marks.mark("b", phase.name) if self.bets is None else str(self.bets.index(phase.name))
                amount = phase.amount // self.facts.flow.unit
                return f"side bet {bet} {seats[phase.player]} {amount} on {self.conditions.test(phase.condition)}"
            case Showdown():
                return f"show {self.facts.ranks.metric} {self.facts.ranks.board}"
        raise AssertionError(f"the canonical form does not know the phase {type(phase).__name__}")

    def _option(self, option: Option, public: bool) -> str:
        """An option with its cost; the odds are in lowest terms."""
        cost = ""
        if option.cost is not None:
            k, n = option.cost.odds or (1, 1)
            cost = f"cost {self.chips(option.cost.amount)} {Fraction(k, n)} "
        return cost + self.block(option.steps, known=public)

    def _loop(self, loop: BettingLoop) -> list[Item]:
        """A loop. Its last round also serves as every later one, so equal rounds before it need no mention."""
        flow = self.facts.flow
        rounds = [self.phase(self.facts.phases[name]) for name in loop.rounds]
        while len(rounds) > 1 and rounds[-1] == rounds[-2]:
            rounds.pop()
        counted = loop.counter in self.facts.variables_read
        counter = self.marks.mark("v", loop.counter) if counted else ""
        start = self.facts.spec.chips if flow.free else 0
        stop = "" if loop.name in flow.endless else str((loop.stop_at - start) // flow.unit)
        if loop.cap == 1 and not stop and not counter:
            return rounds[0]
        texts = "/".join(map(self.text, rounds))
        return [f"loop {counter} {loop.cap} {stop}[{texts}]{self.block(loop.between, known=True)}"]

    def _observation(self, phase: Observation) -> list[Item]:
        viewer, at = self.seats[phase.viewer], f"{phase.subject} {phase.signal}"
        if phase.trigger is None:
            return [InformOnly(self.look(viewer, at, phase.visibility))]
        hidden = reads_hidden(phase.trigger)
        told = phase.trigger_public or not hidden
        look = InformOnly(self.look(viewer, at, phase.visibility, told))
        return self.branch(phase.trigger, hidden, phase.trigger_public, True, [look], [])

    def _positions(self, phase: Positions) -> str:
        """The assignment of the lead. If no rule names a position, it only tells whose card is higher."""
        if self.facts.roles:
            return f"lead {phase.criterion}"
        return "compare" if phase.criterion in ("higher-card", "lower-card") else ""

    def _simultaneous(self, phase: Simultaneous) -> str:
        cells = {(cell.alice, cell.bob): self.block(cell.steps, known=True) for cell in phase.cells}
        others = self.block(phase.others, known=True)
        rows = [[cells.get((a, b), others) for b in phase.bob_options] for a in phase.alice_options]
        return f"both {self._arranged(list(zip(*rows, strict=True)) if self.swapped else rows)}"

    def _arranged(self, rows: _Rows) -> str:
        """Rows and columns in the order that gives the smallest text by the colours of marks.

        Rows with the same cells in some order are tried in every order, equal rows together; columns are sorted.
        """
        key = self.marks.key
        classes: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for row in map(tuple, rows):
            classes.setdefault(tuple(sorted(map(key, row))), []).append(row)
        groups = [classes[cells] for cells in sorted(classes)]
        found: dict[str, set[str]] = {}
        for way in islice(product(*(permutations(dict.fromkeys(group)) for group in groups)), ARRANGEMENTS):
            ordered = [
                row for rows, group in zip(way, groups, strict=True) for row in rows for _ in range(group.count(row))
            ]
            text = "|".join(self.marks.order("/".join(column) for column in zip(*ordered, strict=True)))
            found.setdefault(key(text), set()).add(text)
        least = found[min(found)]
        self.marks.ambiguous |= len(least) > 1
        return min(least)
