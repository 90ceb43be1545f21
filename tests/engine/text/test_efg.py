"""The exported tree, read back by a small parser of its own."""

from __future__ import annotations

import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import branches
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import Chance, Event
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, new_state
from antemill.engine.rules.limits import MAX_CARDS
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Auction,
    Deal,
    Deck,
    Draw,
    GameSpec,
    Option,
    Phase,
    Showdown,
    Shuffle,
    Steps,
)
from antemill.engine.text import efg
from antemill.engine.text.describe import journal
from antemill.engine.text.efg import TreeSize, count_nodes, write_efg
from antemill.engine.text.labels import branch_label
from tests.engine.machine.test_vm import ends
from tests.specs import every_construct

HEAD = re.compile(r'EFG 2 R "([^"]*)" \{ "Alice" "Bob" \}\n"digest ([0-9a-f]{32})"\n\n')
CHANCE_LINE = re.compile(r'c "" (\d+) "[a-z ]+ \d+" \{((?: "[^"]+" \d+(?:/\d+)?)+) \} 0')
PLAYER_LINE = re.compile(r'p "" ([12]) (\d+) "([0-9a-f]{16})" \{((?: "[^"]+")+) \} 0')
END_LINE = re.compile(r't "" (\d+) "" \{ (-?\d+) (-?\d+) \}')
Past = tuple[tuple[int, str], ...]


@dataclass
class Node:
    """A node as read: player 0 is chance, None an end."""

    player: int | None
    number: int
    labels: list[str] = field(default_factory=list)
    odds: list[Fraction] = field(default_factory=list)
    key: str = ""
    payoff: int = 0
    children: list[Node] = field(default_factory=list)

    def below(self) -> Iterator[Node]:
        """This node and all below it."""
        yield self
        for child in self.children:
            yield from child.below()

    def value(self) -> Fraction:
        """Alice's expected payoff when the players choose uniformly."""
        if self.player is None:
            return Fraction(self.payoff)
        odds = self.odds or [Fraction(1, len(self.children))] * len(self.children)
        return sum((p * child.value() for p, child in zip(odds, self.children, strict=True)), Fraction())


def export(program: Program, limit: int = efg.NODE_LIMIT) -> tuple[str, TreeSize]:
    out = io.StringIO()
    summary = write_efg(program, out, limit)
    return out.getvalue(), summary


def parse(text: str) -> Node:
    head = HEAD.match(text)
    assert head is not None
    lines = iter(text[head.end() :].splitlines())
    root = _read(lines)
    assert next(lines, None) is None, "there is text after the tree"
    return root


def _read(lines: Iterator[str]) -> Node:
    line = next(lines)
    if match := END_LINE.fullmatch(line):
        assert int(match[2]) == -int(match[3])
        return Node(None, int(match[1]), payoff=int(match[2]))
    if match := CHANCE_LINE.fullmatch(line):
        pairs = re.findall(r'"([^"]+)" ([\d/]+)', match[2])
        node = Node(0, int(match[1]), [label for label, _ in pairs], [Fraction(p) for _, p in pairs])
    else:
        match = PLAYER_LINE.fullmatch(line)
        assert match is not None, line
        node = Node(int(match[1]), int(match[2]), re.findall(r'"([^"]+)"', match[4]), key=match[3])
    node.children = [_read(lines) for _ in node.labels]
    return node


def examine(root: Node) -> TreeSize:
    """Check what every tree must fulfil, and count."""
    counts: Counter[int | None] = Counter()
    keys: dict[tuple[int, int], str] = {}
    outcomes: dict[int, int] = {}
    menus: dict[tuple[int, int], tuple[Past, list[str]]] = {}
    stack: list[tuple[Node, tuple[Past, Past]]] = [(root, ((), ()))]
    while stack:
        node, pasts = stack.pop()
        counts[node.player] += 1
        assert len(set(node.labels)) == len(node.labels)
        if node.player == 0:
            assert sum(node.odds) == 1
            assert all(p > 0 for p in node.odds)
            stack += [(child, pasts) for child in node.children]
        elif node.player is None:
            assert outcomes.setdefault(node.number, node.payoff) == node.payoff
        else:
            where, mine = (node.player, node.number), pasts[node.player - 1]
            assert keys.setdefault(where, node.key) == node.key
            assert menus.setdefault(where, (mine, node.labels)) == (mine, node.labels), "no perfect recall"
            for label, child in zip(node.labels, node.children, strict=True):
                longer = (*mine, (node.number, label))
                stack.append((child, (longer, pasts[1]) if node.player == 1 else (pasts[0], longer)))
    assert len(set(keys.values())) == len(keys)
    sets = [sorted(number for player, number in keys if player == seat) for seat in (1, 2)]
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in sets)
    return TreeSize(counts.total(), counts[0], counts[None], (len(sets[0]), len(sets[1])))


def kuhn(cards: str = "", moves: str = "") -> Node:
    """Kuhn poker written down by hand; the number of an information set is its name (own card, moves) as a number."""
    if len(cards) < 2:
        labels = [card for card in "JQK" if card not in cards]
        odds = [Fraction(1, len(labels))] * len(labels)
        return Node(0, 0, labels, odds, children=[kuhn(cards + card) for card in labels])
    ahead = 1 if "JQK".index(cards[0]) > "JQK".index(cards[1]) else -1
    finals = {"bf": 1, "bc": 2 * ahead, "kk": ahead, "kbf": -1, "kbc": 2 * ahead}
    if moves in finals:
        return Node(None, 0, payoff=finals[moves])
    seat = len(moves) % 2
    labels = ["fold", "call"] if moves.endswith("b") else ["bet", "check"]
    short = {"bet": "b", "check": "k", "fold": "f", "call": "c"}
    children = [kuhn(cards, moves + short[label]) for label in labels]
    return Node(seat + 1, 0, labels, key=cards[seat] + moves, children=children)


def test_kuhn_is_the_tree_that_everybody_knows() -> None:
    text, summary = export(compile_spec(NAMED["kuhn"]()))
    assert summary == TreeSize(nodes=58, chance_nodes=4, terminals=30, information_sets=(6, 6))
    root = parse(text)
    names: dict[str, set[str]] = defaultdict(set)
    for got, want in zip(root.below(), kuhn().below(), strict=True):
        assert (got.player, got.labels, got.odds, got.payoff) == (want.player, want.labels, want.odds, want.payoff)
        names[want.key].add(got.key)
    del names[""]
    assert len(names) == 12
    assert all(len(found) == 1 for found in names.values())
    assert len(set.union(*names.values())) == 12
    assert root.value() == Fraction(1, 8)


@pytest.mark.parametrize(
    ("suited", "summary"),
    [(True, TreeSize(9457, 157, 5520, (468, 468))), (False, TreeSize(1939, 49, 1116, (144, 144)))],
)
def test_leduc_has_the_known_sizes(suited: bool, summary: TreeSize) -> None:
    program = compile_spec(NAMED["leduc"](), suited=suited)
    text, written = export(program)
    root = parse(text)
    assert written == examine(root) == summary
    assert count_nodes(program, summary.nodes) == summary.nodes
    want = sum(weight * int(state[at.CHIPS] - 13) for state, weight in ends(program))
    assert root.value() == want


def test_equal_cards_are_merged_with_their_probabilities_added() -> None:
    root = parse(export(compile_spec(NAMED["leduc"]()))[0])
    assert (root.labels, root.odds) == (["J", "Q", "K"], [Fraction(1, 3)] * 3)
    bob = root.children[0]
    assert (bob.labels, bob.odds) == (["J", "Q", "K"], [Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)])
    board = bob.children[0].children[1].children[1]
    assert (board.player, board.labels, board.odds) == (0, ["Q", "K"], [Fraction(1, 2)] * 2)
    suited = parse(export(compile_spec(NAMED["leduc"](), suited=True))[0])
    assert suited.labels[:2] == ["J-hearts", "J-spades"]
    assert suited.odds == [Fraction(1, 6)] * 6


@pytest.mark.parametrize("seed", range(24))
def test_trees_of_generated_games(seed: int) -> None:
    program = compile_spec(generate(seed, 0.05))
    if count_nodes(program, 20_000) > 20_000:
        with pytest.raises(UsageError, match=r"more than 20,000 nodes"):
            export(program, 20_000)
        return
    text, summary = export(program)
    assert examine(parse(text)) == summary
    assert count_nodes(program, efg.NODE_LIMIT) == summary.nodes
    assert export(program)[0] == text


def test_a_tree_over_the_limit_is_refused_before_anything_is_written() -> None:
    program = compile_spec(NAMED["kuhn"]())
    out = io.StringIO()
    with pytest.raises(UsageError, match=r"the tree of Kuhn poker has more than 57 nodes: export a smaller game"):
        write_efg(program, out, 57)
    assert out.getvalue() == ""
    assert write_efg(program, out, 58).nodes == 58
    assert count_nodes(program, 10) == 11
    assert count_nodes(compile_spec(every_construct()), 5_000) == 5_001


def small(
    *phases: Phase, name: str = "Small", chips: int = 3, suits: tuple[str, ...] = ("hearts", "spades")
) -> GameSpec:
    """A deck of two ranks, one card each, antes of 1, then the phases, then a showdown."""
    setup = Steps("Setup", (Shuffle(), Deal(1), Ante("both", 1)))
    every = (setup, *phases, Showdown("Showdown"))
    return GameSpec(name, Deck((2, 3), suits), chips, every, tuple(phase.name for phase in every))


def decisions_of(root: Node, player: int) -> list[Node]:
    return [node for node in root.below() if node.player == player]


def test_bids_above_the_stack_are_one_bid() -> None:
    program = compile_spec(small(Auction("Auction", max_bid=5, prize=Draw("winner"))))
    text, summary = export(program)
    root = parse(text)
    assert examine(root) == summary
    assert {tuple(node.labels) for node in decisions_of(root, 1)} == {("0", "1", "2")}
    assert count_nodes(program, 10_000) == summary.nodes


def test_every_kind_of_draw_keeps_the_odds() -> None:
    """One play after the other through a game with every construct: merged outcomes account for the whole menu."""
    program = compile_spec(every_construct())
    for first in range(40):
        state, step = branches.root_state(program), first
        while ways := branches.branches(program, state):
            numbers = [way.number for way in ways]
            assert sorted(set(numbers)) == numbers
            if state[at.STOP] == CHANCE:
                assert sum(way.weight for way in ways) == state[at.MENU]
            labels = [branch_label(program, state, way) for way in ways]
            assert len(set(labels)) == len(labels)
            step = step * 5 + 3
            state[at.CHOICE] = ways[step // 7 % len(ways)].choice
            advance(program.code, state)


def test_the_card_behind_an_outcome_is_the_card_that_is_told() -> None:
    """For every kind of draw: after choosing an outcome, the journal names the card that `outcome_card` promised."""
    program, rng = compile_spec(every_construct()), np.random.default_rng(1)
    kinds = set()
    for _ in range(150):
        state = new_state(program.initial_state(), 2_000)
        while advance(program.code, state) != OVER:
            index = int(rng.integers(state[at.MENU]))
            card = int(branches.outcome_card(program.code, state, index)) if state[at.STOP] == CHANCE else -1
            kind = Chance(int(state[at.ADDRESS] >> 16) // 3)
            state[at.CHOICE] = index
            if card >= 0:
                after = state.copy()
                advance(program.code, after)
                assert card in cards_told(program, after, kind, int(state[at.JOURNAL_N]))
                kinds.add(kind)
    assert kinds == set(Chance) - {Chance.COIN, Chance.COST, Chance.ODD_CHIP, Chance.POSITION}


def cards_told(program: Program, state: branches.Array, kind: Chance, start: int) -> set[int]:
    """Cards that the events from `start` on, or the step under way, can be about."""
    following, seat = divmod(int(state[at.ADDRESS] >> 16), 3)
    if kind is Chance.SWAP_GIVE and following == Chance.SWAP_TAKE:  # told later, with the card that is taken
        return {int(state[at.HANDS + seat * MAX_CARDS + state[at.HELD]])}
    masks = [int(state[at.PICKED])]
    if kind is Chance.DRAW and state[at.DISCARD_N]:  # the card may have gone from the deck to the discards, unseen
        masks.append(1 << int(state[at.DISCARDS + state[at.DISCARD_N] - 1]))
    for row in journal(state, start):
        if row[0] == Event.SIGNAL and program.names.phases[row[2]] == "Watch":  # a suit
            masks.append(sum(1 << card for card in range(program.cards) if card % 2 == row[5] - 1))
        else:
            masks.append(row[5])
    return {card for card in range(program.cards) for mask in masks if mask >> card & 1}


def test_names_that_the_format_can_not_hold_are_replaced() -> None:
    act = ActionRound("Act", "bob", (Option('say "yes"'), Option("say 'yes'"), Option("tab\there"), Option("ü♥")))
    spec = small(act, name='The "odd"\nga\\me')
    text, _ = export(compile_spec(spec))
    assert text.startswith("EFG 2 R \"The 'odd' ga/me\" {")
    root = parse(text)
    assert decisions_of(root, 2)[0].labels == ["say 'yes'", "say 'yes' (2)", "tab here", "ü♥"]
