"""When two specs are the same game: a normal form, and its digest.

    normal_form(spec)                 a text, one line for each thing that happens; equal texts are the same game
    canonical_digest(spec)            of this text: it identifies the game under any names
    canonical_digests(specs)          the digests of many games
    rules_digest(spec)                of the spec as it is written, without names: cheaper and weaker

The form does not change when

- phases, variables, options, suits, texts or the game get other names,
- options, cells, parts of conditions, variables, suits or phases (other than side bets) are listed in another order,
- phases that no play reaches are added or removed, or steps move to phases of their own,
- ranks get other values in the same order, or multiples of their values if the showdown adds them up,
- all chips are multiplied by a factor, if no wager or bid is free,
- the stacks are larger, if they are never exhausted and no rule asks for them,
- Alice and Bob are exchanged, if positions are never assigned and the deck never runs short (Alice is served first):
  the first seat is the one that the form names more often.

It also leaves out positions that no rule names, and what players are told after the last decision. It keeps everything
else, so different forms may still be one game: rules that say the same in other words, steps without effect, lists
whose items differ only in the names that they use.

The reasons: an option or a suit is known by what it does, so unordered items are sorted by their texts without names,
and names are numbered by their first appearance. A performed phase is written in its place, since both players know
when a phase begins. Chips are counted in units of their greatest common divisor. If a pot may hold an odd number of
units, chance decides about the odd one in a split, which has no multiple: then half of the unit is taken if it is even,
and a single chip if not.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import groupby, permutations, zip_longest
from textwrap import wrap
from typing import Any, Final, NamedTuple

from msgspec import Struct

from antemill.engine.digests import shared
from antemill.engine.errors import SpecError
from antemill.engine.rules.fields import FIELDS, Field
from antemill.engine.rules.fold import Fold
from antemill.engine.rules.spec import (
    ActionRound,
    All,
    Ante,
    AnyOf,
    Auction,
    BettingLoop,
    ChipsAre,
    Cost,
    GameSpec,
    Leads,
    NodeBase,
    Option,
    Perform,
    Positions,
    Score,
    Showdown,
    SideBet,
    Simultaneous,
    Steps,
    Transfer,
    VariableBetting,
    to_json,
)
from antemill.engine.rules.walk import PLAYER_FIELDS, walk

FORM = "antemill game 2"  # changes with the meaning of the form, so that no two forms are mistaken for each other
_SEATS: Final = ("first", "second")
_ARRANGED: Final = 4  # the most rows of a simultaneous round that are tried in every order


def normal_form(spec: GameSpec) -> str:
    """A legal spec as a text: equal texts are the same game.

    Raises SpecError if the phases of the sequence and those that they play make no game: one is missing, one performs
    itself, or the sequence does not end with a showdown.
    """
    facts = Facts(spec)
    form = _Writer(facts).game()
    first, second = (form.count(f"={seat}") for seat in _SEATS)
    if not facts.exchangeable or first > second:
        return form
    other = _Writer(facts, swapped=True).game()
    return min(form, other) if first == second else other


def canonical_digest(spec: GameSpec) -> str:
    """32 hex digits that identify the game: equal for specs with equal `normal_form`, whatever their names."""
    return _digest(f"{FORM}\n{normal_form(spec)}")


def canonical_digests(specs: Iterable[GameSpec]) -> list[str]:
    """The canonical digest of each spec."""
    return [canonical_digest(spec) for spec in specs]


@cache
def form_hash() -> str:
    """16 hexadecimal digits that change with the code of the digests: all digests of a pool are made by one code."""
    return shared().digest([__name__])


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def side_by_side(first: str, second: str, width: int = 56) -> str:
    """Two normal forms in two columns; a sign between them marks each line that differs."""
    lines: list[str] = []
    for pair in zip_longest(first.split("\n"), second.split("\n"), fillvalue=""):
        sign = " " if pair[0] == pair[1] else "|"
        halves = [wrap(half, width, subsequent_indent="  ") for half in pair]
        lines += [f"{mine:<{width}} {sign} {other}".rstrip() for mine, other in zip_longest(*halves, fillvalue="")]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ the whole game


# Of a part of a play, the most that it needs in any play: cards that leave the deck, chips that a seat pays, and chips
# that a seat has paid by its last payment to the pot. Bets do not count as such, since both seats pay alike.
_Most = tuple[int, int, int]
_NOTHING: Final[_Most] = (0, 0, 0)


class _Bounds(Fold[_Most]):
    """The most of everything."""

    def leaf(self, node: Any) -> _Most:
        if type(node) in _STAKES:
            paid = _moved(node) * (1 + getattr(node, "raises", 0))
            return 0, paid, paid if _to_pot(node) else 0
        return (node.draws, 0, 0) if "deck" in getattr(node, "brings", ()) else _NOTHING

    def then(self, parts: Iterable[_Most]) -> _Most:
        cards = paid = needed = 0
        for more, pays, needs in parts:
            if needs:
                needed = max(needed, paid + needs)
            cards, paid = cards + more, paid + pays
        return cards, paid, needed

    def either(self, ways: Iterable[_Most]) -> _Most:
        cards, paid, needed = zip(*ways)
        return max(cards), max(paid), max(needed)


# The fields of a kind that hold chips which move; the cost of an option counts as its own.
_STAKES: Final = {
    kind: stakes for kind, fields in FIELDS.items() if (stakes := [field.name for field in fields if field.moves])
} | {Option: ["cost"]}


def _moved(node: Any) -> int:
    """The chips that a node itself moves."""
    held = [getattr(node, name) for name in _STAKES.get(type(node), ())]
    return sum([_moved(value) if type(value) is Cost else value or 0 for value in held])


def _to_pot(node: Any) -> bool:
    """Whether a node moves chips between one seat and the pot."""
    if type(node) is Transfer:
        return "pot" in (node.source, node.target)
    elsewhere = type(node) in (Score, SideBet) or "betting" in getattr(node, "brings", ())
    return not elsewhere and _moved(node) > 0


class _Uneven(Fold[list[int]]):
    """The chips that enter or leave the pot as a whole, not as two equal halves; antes in a row enter together."""

    def leaf(self, node: Any) -> list[int]:
        if not _to_pot(node):
            return []
        return [_moved(node) * (2 if getattr(node, "player", "") == "both" else 1)]

    def then(self, parts: Iterable[list[int]]) -> list[int]:
        return [amount for part in parts for amount in part]

    def either(self, ways: Iterable[list[int]]) -> list[int]:
        return self.then(ways)

    def steps(self, steps: Iterable[Any]) -> list[int]:
        found: list[int] = []
        for antes, group in groupby(steps, lambda step: type(step) is Ante):
            amounts = super().steps(group)
            found += [sum(amounts)] if antes else amounts
        return found


class Facts:
    """What the form of a game depends on as a whole. Of the phases, only those count that play reaches."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        bounds = _Bounds(spec)
        cards, paid, needed = bounds.game()
        phases: dict[str, Any] = {phase.name: phase for phase in spec.phases if phase.name in bounds.known}
        by_kind: dict[Any, list[Any]] = {}
        for index, node in walk(spec):
            if spec.phases[index].name in phases:
                by_kind.setdefault(type(node), []).append(node)
        played = {
            name for kind in by_kind if kind.plays is not NodeBase.plays for n in by_kind[kind] for name in n.plays
        }
        if wrong := bounds.cycle or sorted((played | set(spec.sequence)) - phases.keys()):
            raise SpecError(f"game '{spec.name}' is not legal: phase '{wrong[0]}' is missing, or performs itself")
        if not isinstance(phases[spec.sequence[-1]], Showdown):
            raise SpecError(f"game '{spec.name}' is not legal: its sequence does not end with a showdown")
        self.phases = phases
        self.roles = Positions in by_kind and _by_position(by_kind)  # otherwise Alice leads throughout
        self.exchangeable = Positions not in by_kind and cards <= len(spec.deck.ranks) * len(spec.deck.suits)
        self.bets = [phase.name for phase in by_kind.get(SideBet, ())]
        self.summed = any(show.metric == "sum" for show in by_kind[Showdown])
        self.ranks = {rank: place for place, rank in enumerate(spec.deck.ranks)}
        self.chosen = not by_kind.keys().isdisjoint((VariableBetting, Auction))  # amounts, by players
        read = self.roles or not by_kind.keys().isdisjoint((ChipsAre, BettingLoop))
        self.free = paid <= spec.chips and not read and not self.chosen  # no stack is ever exhausted, or asked for
        self.unit = self._unit(needed)

    def _unit(self, needed: int) -> int:
        """The chips that count as one."""
        if self.chosen:
            return 1
        unit = math.gcd(*_amounts(self.phases.values()), 0 if self.free else self.spec.chips) or 1
        if unit == 1 or (needed <= self.spec.chips and not self._odd(unit)):
            return unit
        return unit // 2 if unit % 2 == 0 else 1

    def _odd(self, unit: int) -> bool:
        """Whether a pot may hold an odd number of units, if no payment is cut short."""
        return any(amount % (2 * unit) for amount in _Uneven(self.spec).game())


def _by_position(by_kind: Mapping[type[Any], Sequence[Any]]) -> bool:
    """Whether a node names or reads a position."""
    words = {getattr(n, field) for kind, nodes in by_kind.items() for field in PLAYER_FIELDS[kind] for n in nodes}
    return Leads in by_kind or not words.isdisjoint(("leader", "follower"))


def _amounts(nodes: Iterable[Any]) -> list[int]:
    """All numbers of chips in nodes and in what these hold."""
    found: list[int] = []
    for node in nodes:
        for field in FIELDS[type(node)]:
            held = getattr(node, field.name)
            if field.chips and held is not None:
                found.append(held)
            elif field.kinds and held is not None:
                found += _amounts(held if type(held) is tuple else (held,))
    return found


class _Text(NamedTuple):
    """A part of a form. Each name is a place holder in the text."""

    text: str
    names: tuple[str, ...] = ()


_NAME: Final = "\0"
_Rows = Sequence[tuple[_Text, ...]]


def _joined(parts: Sequence[_Text], between: str = ";") -> _Text:
    if len(parts) == 1:
        return parts[0]
    return _Text(between.join([part.text for part in parts]), tuple([name for part in parts for name in part.names]))


class _Writer:
    """Writes a game down. swapped: Bob has the first seat."""

    def __init__(self, facts: Facts, swapped: bool = False) -> None:
        self.facts = facts
        self.swapped = swapped
        seats = _SEATS[::-1] if swapped else _SEATS
        roles = ("leader", "follower") if facts.roles else seats
        self.words = {"alice": seats[0], "bob": seats[1], "leader": roles[0], "follower": roles[1]}
        self._known: dict[str, list[_Text]] = {}

    def game(self) -> str:
        facts, spec = self.facts, self.facts.spec
        scale = math.gcd(*spec.deck.ranks)
        ranks = [rank // scale for rank in spec.deck.ranks] if facts.summed else len(spec.deck.ranks)
        chips = "enough" if facts.free else str(spec.chips // facts.unit)
        head = f"ranks {ranks}, suits {len(spec.deck.suits)}, chips {chips}"
        lines = [line for name in spec.sequence for line in self.phase(name)]
        while len(lines) > 1 and lines[-2].text.startswith(_TELLING):
            del lines[-2]
        return _numbered(_joined([_Text(head), *lines], "\n"))

    def phase(self, name: str) -> list[_Text]:
        """What happens in a phase."""
        if name not in self._known:
            self._known[name] = self.items([self.facts.phases[name]])
        return self._known[name]

    def items(self, nodes: Iterable[Any]) -> list[_Text]:
        """Steps or phases in order; what they perform is written in its place."""
        found: list[_Text] = []
        for node in nodes:
            if type(node) is Perform:
                found += self.phase(node.phase)
            elif type(node) is Steps:
                found += self.items(node.steps)
            elif self.facts.roles or type(node) is not Positions or "card" in node.criterion:
                found.append(self.node(node))
        return found

    def block(self, nodes: Iterable[Any]) -> _Text:
        text, names = _joined(self.items(nodes))
        return _Text(f"{{{text}}}", names)

    def node(self, node: Any) -> _Text:
        """A node with all that it holds."""
        if type(node) is Simultaneous:
            return self.simultaneous(node)
        texts: list[str] = [type(node).__name__]
        names: tuple[str, ...] = ()
        words, unit = self.words, self.facts.unit
        for field in _WRITTEN[type(node)]:
            value = getattr(node, field.name)
            if value is None:
                continue
            if field.words:
                texts.append(f"{field.name}={words.get(value, value)}")
            elif field.holds == "number":
                texts.append(f"{field.name}={value // unit if field.chips else value}")
            elif field.holds == "truth":
                texts += [field.name] * value
            else:
                text, more = self.field(node, field, value)
                texts.append(f"{field.name}={text}")
                names += more
        return _Text(" ".join(texts), names)

    def field(self, node: Any, field: Field, value: Any) -> _Text:
        """The content of a field that is neither a number nor a word."""
        match field.holds:
            case "node":
                return self.node(value)
            case "nodes" if type(node) in _UNORDERED:
                return _joined(sorted(map(self.node, value), key=lambda part: part.text), " | ")
            case "nodes":
                return self.block(value)
            case "ranks":
                return _Text(",".join(map(str, sorted(self.facts.ranks.get(rank, -1) for rank in value))))
            case "odds":
                return _Text(str(Fraction(*value)))
            case "phases":
                return _joined([self.block([self.facts.phases[name]]) for name in value], "/")
            case "text" if type(node) is SideBet:
                return _Text(str(self.facts.bets.index(value)))
        return _Text(field.holds[0] + _NAME, (f"{field.holds} {value}",))

    def simultaneous(self, node: Simultaneous) -> _Text:
        """The outcomes of all pairs of choices, in the order of rows that gives the smallest text."""
        cells = {(cell.alice, cell.bob): self.block(cell.steps) for cell in node.cells}
        others = self.block(node.others)
        rows: _Rows = [tuple([cells.get((a, b), others) for b in node.bob_options]) for a in node.alice_options]
        if self.swapped:
            rows = list(zip(*rows, strict=True))
        by_cells = sorted(rows, key=lambda row: sorted([cell.text for cell in row]))
        orders = permutations(by_cells) if len(rows) <= _ARRANGED else [by_cells]
        return min(map(_columns, orders), key=lambda part: part.text)


_TELLING: Final = ("Announce ", "Observation ", "Peek ", "Reveal ")  # without effect if no decision follows
_UNORDERED: Final = (ActionRound, All, AnyOf)  # kinds whose nodes have no order
# The fields that a form has: names of phases and options say nothing, and only side bets are known by theirs.
_WRITTEN: Final[dict[type[Struct], list[Field]]] = {
    kind: [field for field in fields if field.name != "name" or kind is SideBet] for kind, fields in FIELDS.items()
}


def _columns(rows: _Rows) -> _Text:
    """A simultaneous round with its rows in this order: the columns are sorted."""
    columns = sorted([_joined(column, "/") for column in zip(*rows, strict=True)], key=lambda part: part.text)
    text, names = _joined(columns, " | ")
    return _Text(f"Simultaneous {text}", names)


def _numbered(form: _Text) -> str:
    """The text with a number for each name, by its first appearance among those of its kind."""
    numbers: dict[str, int] = {}
    counts: dict[str, int] = {}
    for name in form.names:
        if name not in numbers:
            kind = name.partition(" ")[0]
            numbers[name] = counts[kind] = counts.get(kind, 0) + 1
    pieces = form.text.split(_NAME)
    return "".join([piece + str(numbers[name]) for piece, name in zip(pieces, form.names)]) + pieces[-1]


# ------------------------------------------------------------------------------------------------ as written

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_NAMED = re.compile(
    rf'"(?:type":"([a-z-]+)","name":({_STRING})'  # a phase
    rf'|name":{_STRING}'  # the game, an option
    rf'|(phase|counter|variable|suit|text|alice|bob)":({_STRING})'
    rf'|(rounds|sequence|variables|suits|alice_options|bob_options)":\[((?:{_STRING},?)*)\])'
)
_EACH = re.compile(_STRING)
_KINDS = {
    **{"rounds": "phase", "sequence": "phase", "counter": "variable", "variables": "variable", "suits": "suit"},
    **{"alice_options": "alice", "bob_options": "bob"},
}


def nameless(spec: GameSpec) -> str:
    """The spec as JSON, with a number for the name of each phase, variable, option, suit and text.

    Numbers are by first appearance; those of options begin anew in every round. Lists that only declare names shrink to
    their length. The patterns match nothing inside a string, since JSON puts a backslash before a quotation mark there.
    """
    numbers: dict[str, dict[str, int]] = {}

    def number(field: str, name: str) -> str:
        known = numbers.setdefault(_KINDS.get(field, field), {})
        return str(known.setdefault(name, len(known)))

    def replace(match: re.Match[str]) -> str:
        kind, phase, field, name, listed, names = match.groups()
        if kind:
            return f'"type":"{kind}","name":{number("phase", phase)}'
        if field:
            return f'"{field}":{number(field, name)}'
        if not listed:
            return '"name":0'
        if listed in ("alice_options", "bob_options"):
            numbers.pop(_KINDS[listed], None)
        return f'"{listed}":[{",".join(number(listed, each) for each in _EACH.findall(names))}]'

    return _NAMED.sub(replace, to_json(spec).decode())


def rules_digest(spec: GameSpec) -> str:
    """32 hex digits of the spec as it is written, without its names: the cheaper and weaker digest."""
    return _digest(nameless(spec))
