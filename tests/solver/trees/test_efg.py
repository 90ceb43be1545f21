"""Gambit's format read: what the exporter writes comes back, what others write is understood, the rest is refused."""

from __future__ import annotations

import io
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError, StorageError, UsageError
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.engine.text.efg import write_efg
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.solve import solve
from antemill.solver.evaluation.measures import measure
from antemill.solver.game import ExtensiveForm
from antemill.solver.policies.dictionaries import Dictionaries, as_dictionaries, as_profile
from antemill.solver.trees import outside
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.efg import parse_efg, read_efg
from antemill.solver.trees.outside import Outside
from antemill.solver.trees.sequence_form import sides
from tests.solver.games import KUHN, random_policy, tractable

HEAD = 'EFG 2 R "Pennies" { "Ann" "Ben" }\n'
TWO_ENDS, THREE_ENDS = (HEAD + f'p "" 1 1 "s" {{ {menu} }} 0\n' for menu in ('"a" "b"', '"a" "b" "c"'))
PENNIES = (
    HEAD
    + """"a comment"

p "" 1 1 "mine" { "heads" "tails" } 0
p "" 2 1 "yours" { "heads" "tails" } 0
t "" 1 "win" { 1, -1 }
t "" 2 "loss" { -1 1 }
p "" 2 1 0
t "" 2
t "" 1
"""
)


def exported(program: Program) -> ExtensiveForm:
    out = io.StringIO()
    write_efg(program, out)
    return parse_efg(out.getvalue())


@pytest.mark.parametrize(
    "program",
    [*(compile_spec(NAMED[name]()) for name in ("kuhn", "leduc")), *(tractable(seed) for seed in (0, 1, 21))],
    ids=lambda program: program.names.game,
)
def test_what_is_exported_comes_back(program: Program) -> None:
    """Maybe in another order: every measure of a policy by names is the same."""
    tree, read = build_tree(program), exported(program)
    assert read.game == program.names.game
    assert (read.nodes, *(read.count(player) for player in range(4))) == (
        tree.nodes,
        *(tree.count(player) for player in range(4)),
    )
    for seed in range(3):
        profile = random_policy(tree, seed)[0]
        named = as_dictionaries(tree, profile, program)
        same = as_profile(read, named)
        assert as_dictionaries(read, same) == named
        got, want = measure(read, same), measure(tree, profile)
        assert (got.value, *got.best_responses) == pytest.approx((want.value, *want.best_responses), abs=1e-12)
    assert solve_exactly(sides(read)).value == pytest.approx(solve_exactly(sides(tree)).value, abs=1e-9)


def test_a_game_by_hand() -> None:
    tree = parse_efg(PENNIES)
    assert (tree.game, tree.nodes, tree.labels and tree.labels.players) == ("Pennies", 7, ("Ann", "Ben"))
    run = solve(tree, target=1e-9)
    assert run.value == pytest.approx(0.0, abs=1e-9)
    half = {"heads": pytest.approx(0.5), "tails": pytest.approx(0.5)}
    assert as_dictionaries(tree, run.profile) == {"Ann": {"mine": half}, "Ben": {"yours": half}}


@pytest.mark.parametrize("chips", [1, 0])
def test_a_game_may_be_over_before_it_begins(chips: int) -> None:
    tree = parse_efg(f'EFG 2 R "Nothing" {{ "" "" }}\nt "" 1 "" {{ {chips} {-chips} }}')
    assert (tree.chance.tolist(), tree.sequence.tolist()) == ([1.0], [[0], [0]])
    assert [side.paid.tolist() for side in sides(tree)] == ([[1.0], [-1.0]] if chips else [[], []])
    assert solve(tree).value == chips


def test_what_other_programs_write() -> None:
    """Numbers of all kinds, outcomes on the way, sets without a name, quotes in names, reuse by number."""
    text = """EFG 2 D "A \\"game\\"" { "" "" }
c "" 1 "deal" { "a" 1/4 "b" 0.25 "c" 5e-1 } 1 "ante" { 1/2 -.5 }
p "" 1 1 { "x" "x" } 0 t "" 2 { 1 -1 } t "" 3 "" { -2.50 2.5 }
p "" 1 1 0 t "" 2 t "" 3
p "" 1 7 "" { "x" "x" } 0
c "" 2 "" { "a" .5 "b" .5 } 0 t "" 2 t "" 0
t "" 3"""
    tree = parse_efg(text)
    assert tree.labels is not None
    assert (tree.game, tree.labels.players) == ('A "game"', ("Player 1", "Player 2"))
    assert tree.labels.sets == (["1", ""], [])
    assert tree.labels.actions[0] == ["", "x", "x (2)", "x", "x (2)"]
    exact = solve_exactly(sides(tree))
    assert exact.value == pytest.approx(0.5 + 0.5 * 1 + 0.5 * 0.5)
    assert sorted(tree.payoff[tree.player == 3]) == [-2.0, -2.0, -2.0, 0.5, 1.5, 1.5, 1.5]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "it does not begin with 'EFG 2 R'"),
        ('EFG 2 R "x"', 1, "'{' is expected, not the end of the file"),
        ('EFG 2 R "x" { "a" "b" "c" }\nt "" 0', 1, "the game has 3 players: only games of one or two can be"),
        ('EFG 2 R "x" { "a" }\nt "" 1 "" { 1 -1 }', 2, "outcome 1 has 2 payoffs: an outcome above 0 with 1 is needed"),
        ('EFG 2 R "x" { "a" }\np "" 2 1 "" { "x" } 0', 2, "there is no player 2"),
        (HEAD, 1, "the tree ends before all of its nodes were added"),
        (HEAD + 'q "" 1', 2, "a node begins with p, c or t, not with q"),
        (HEAD + '\nt "" x', 3, "the number of the outcome must be a whole number, not x"),
        (HEAD + 't "" 1', 2, "outcome 1 appears first here, without its brackets"),
        (HEAD + 't "" 0 "w" { 1 -1 }', 2, "outcome 0 has 2 payoffs: an outcome above 0"),
        (PENNIES + 't "" 1 "win" { 2 -2 }', 11, "outcome 1 differs from what it was where it appeared first"),
        (
            HEAD + 'c "" 1 "" { "a" 1/2 "b" 1/2 } 0 t "" 0\nc "" 1 "" { "a" 1/4 "b" 3/4 } 0 t "" 0 t "" 0',
            3,
            "node of chance 1 differs from what it was where it appeared first",
        ),
        (HEAD + 't "" 1 "" { 1 }', 2, "outcome 1 has 1 payoffs: an outcome above 0 with 2"),
        (HEAD + 't "" 1 "" { 1 1/0 }', 2, "a payoff must be a number, not 1/0"),
        (HEAD + 't "" 1 "" { 1e999 -1e999 }', 2, "a payoff is too large"),
        (TWO_ENDS + 't "" 1 "" { 3 2 } t "" 2 "" { 1 -1 }', 3, "one end sum to 5, those of another one to 0"),
        (
            TWO_ENDS + 't "" 1 "" { 2e-7 0 } t "" 2 "" { 0 3e-7 }',
            3,
            "one end sum to 2e-07, those of another one to",
        ),
        (HEAD + 't "" 1 "" { 1 -1', 2, "a payoff is expected, not the end of the file"),
        (HEAD + 't "never closed 1', 2, 'the number of the outcome is expected, not "'),
        (HEAD + 't "" 0\nt "" 0', 3, "the tree has ended before this node"),
        (HEAD + 'p "" 3 1 "" { "a" } 0\nt "" 0', 2, "there is no player 3"),
        (HEAD + 'p "" 1 1 "" { } 0\nt "" 0', 2, "a decision needs at least one action"),
        (HEAD + 'p "" 1 1 0\nt "" 0', 2, "information set 1 of player 1 appears first here, without its brackets"),
        (
            HEAD + 'c "" 1 "" { "a" 1/2 "b" 1/3 } 0',
            2,
            "the probabilities of chance sum to 0.8333333333333334, not to 1",
        ),
        (HEAD + 'c "" 1 "" { "a" -1 "b" 2 } 0', 2, "a probability of chance is -1: none may be below 0"),
        (HEAD + 'c "" 1 "" { } 0', 2, "a node of chance needs at least one outcome"),
        (HEAD + 'c "" 1 0', 2, "node of chance 1 appears first here, without its brackets"),
        (
            PENNIES.replace('p "" 2 1 0', 'p "" 2 1 "yours" { "h" "t" } 0'),
            8,
            "information set 1 of player 2 differs from what it was",
        ),
        (
            PENNIES.replace('p "" 2 1 "yours" { "heads" "tails" } 0', 'p "" 1 1 "mine" { "heads" "tails" } 0'),
            5,
            "Ann has forgotten at information set 'mine' what they did or knew before",
        ),
    ],
)
def test_what_can_not_be_solved_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(SpecError, match=f"^game.efg, line {line}: .*{re.escape(reason)}") as error:
        parse_efg(text, "game.efg")
    assert str(error.value).endswith(".")


def test_every_truncation_is_refused_in_a_sentence() -> None:
    body = PENNIES.rstrip()
    for end in range(len(body)):
        with pytest.raises(SpecError, match=r"^the text, line \d+: .*\.$"):
            parse_efg(body[:end])


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "game.efg"
    with pytest.raises(StorageError, match="there is no file"):
        read_efg(path)
    with pytest.raises(StorageError, match=r"cannot read|is a"):
        read_efg(tmp_path)
    for content in (b"\xff\xfeE", b"\x00\xe9"):
        path.write_bytes(content)
        with pytest.raises(SpecError, match=r"game.efg, line 1: it does not begin with 'EFG 2 R'"):
            read_efg(path)
    path.write_text(PENNIES)
    assert read_efg(path).nodes == 7
    with pytest.raises(UsageError, match="has more than 6 nodes: raise the limit"):
        read_efg(path, 6)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_files_in_every_encoding_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "game.efg"
    path.write_bytes(PENNIES.replace("Ann", "Zoë").replace("\n", "\r\n").encode(encoding))
    labels = read_efg(path).labels
    assert labels
    assert labels.players == ("Zoë", "Ben")


@pytest.mark.parametrize("total", [0, 1, Fraction(1, 3)])
def test_constant_sums_are_solved(total: Fraction) -> None:
    """The value is what the first player gets: in matching pennies half of the total."""

    def end(number: int, first: Fraction) -> str:
        return f't "" {number} "" {{ {first} {total - first} }}\n'

    nodes = re.split(r'(?=t "")', PENNIES)[0]
    again = 'p "" 2 1 0\n'
    text = nodes + end(1, total) + end(2, Fraction(0)) + again + end(2, Fraction(0)) + end(1, total)
    assert solve(parse_efg(text), target=1e-9).value == pytest.approx(float(total) / 2)


def test_floating_payoffs_are_compared_within_their_range() -> None:
    """A millionth of the range may be rounding, also where all payoffs are tiny, or have much in common."""

    def tree_of(*ends: tuple[float, float]) -> ExtensiveForm:
        game = Outside("Ends", ("Ann", "Ben"))
        game.decision(0, "s", "s", [f"{i}" for i in range(len(ends))])
        for payoffs in ends:
            game.end(payoffs)
        return game.tree()

    assert tree_of((0.1, -0.1), (0.3, -0.30000000000000004)).nodes == 3
    assert tree_of((2e9 + 0.5, -2e9 - 0.5), (2e9, -2e9)).nodes == 3
    for ends in (((2e-7, 0.0), (0.0, 3e-7)), ((2e9, -2e9), (2e9 + 3, -2e9 - 2))):
        with pytest.raises(SpecError, match="all ends pay the same sum"):
            tree_of(*ends)


def test_dictionaries_are_checked() -> None:
    program = compile_spec(NAMED["kuhn"]())
    tree = build_tree(program)
    uniform = as_profile(tree, {})
    assert measure(tree, uniform).value == pytest.approx(1 / 8)
    run = solve(tree, target=1e-9)
    named = as_dictionaries(tree, run.profile, program)
    assert {action for sets in named.values() for menu in sets.values() for action in menu} > {"check", "fold"}
    assert as_dictionaries(tree, run.profile)["Alice"].keys() == named["Alice"].keys()
    back = as_profile(tree, named, program)
    assert measure(tree, back).value == pytest.approx(KUHN, abs=1e-9)
    first = next(iter(named["Alice"]))
    cases: list[tuple[Dictionaries, str]] = [
        ({"Carol": {}}, "there is no player called 'Carol': use Alice, Bob"),
        ({"Alice": {"x": {}}}, "there is no information set of Alice called 'x'"),
        ({"Alice": {first: {"raise": 1.0}}}, f"there is no action of Alice in '{first}' called 'raise'"),
        (
            {"Alice": {first: {"check": 0.3}}},
            f"the probabilities of Alice in '{first}' sum to 0.3: they must be at least 0 and",
        ),
        ({"Alice": {first: {"check": -0.3, "bet": 1.3}}}, "have -0.3 among them"),
        ({"Alice": {first: {"check": 0.5, "bet": 0.50001}}}, "sum to 1.00001"),
    ]
    for wrong, reason in cases:
        with pytest.raises(UsageError, match=reason):
            as_profile(tree, wrong, program)
    for rounded in (lambda p: float(np.float32(p)), lambda p: round(p, 6)):
        written = {
            player: {name: {one: rounded(p) for one, p in menu.items()} for name, menu in sets.items()}
            for player, sets in named.items()
        }
        assert measure(tree, as_profile(tree, written, program)).value == pytest.approx(KUHN, abs=1e-6)
    with pytest.raises(UsageError, match="is not that of"):
        as_dictionaries(tree, run.profile, compile_spec(NAMED["leduc"]()))


def test_a_game_for_which_memory_is_missing_is_refused_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "free_memory", lambda: 3 * outside.OUTSIDE_BYTES)
    game = Outside("Pennies", ("One", "Two"))
    game.decision(0, 1, "one", ("heads", "tails"))
    game.end((1, -1))
    game.decision(1, 1, "two", ("heads", "tails"))
    with pytest.raises(UsageError, match=r"more than 3 nodes, which take about 0.0 GB of memory, and no more is free"):
        game.end((0, 0))
