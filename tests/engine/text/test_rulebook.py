"""Rulebooks as documents: sections, links between phases, form, what is left out, and the golden ones."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from msgspec.structs import replace

from antemill.engine.builder.generate import generate
from antemill.engine.match import Match
from antemill.engine.rules.check import check
from antemill.engine.rules.named import NAMED, kuhn
from antemill.engine.rules.spec import (
    BettingLoop,
    Cell,
    Discard,
    Draw,
    FixedBetting,
    GameSpec,
    HoldsRank,
    If,
    Leads,
    NoAction,
    Peek,
    Perform,
    Positions,
    Score,
    Simultaneous,
    Step,
    Steps,
    Transfer,
    from_json,
    to_json,
)
from antemill.engine.rules.walk import decision_phases, reads_suits, walk
from antemill.engine.text.rulebook import rulebook
from tests.differing import assert_same
from tests.engine.text.golden_rulebooks import FOLDER, GAMES
from tests.engine.text.rulebook_sections import CALLED, bold_names, phase_sections, top_sections
from tests.specs import every_construct

SECTIONS = ["Overview", "General Rules", "Visibility", "Sequence of Play", "Phase Details"]
SEEDS = range(60)


def games() -> list[GameSpec]:
    return [*(make() for make in GAMES.values()), *map(generate, SEEDS)]


# ---------------------------------------------------------------------------------------------- structure


def test_all_sections_in_order() -> None:
    for spec in games():
        text = rulebook(spec)
        assert text.startswith(f"# {spec.name}\n\n## Overview\n\n- ")
        assert list(top_sections(text)) == SECTIONS
        assert all(section.strip() for section in top_sections(text).values())


def test_every_phase_has_one_section_and_nothing_else_has() -> None:
    for spec in games():
        sections = phase_sections(rulebook(spec))  # which refuses repeated headings
        assert set(sections) == {phase.name for phase in spec.phases}


def test_main_phases_come_in_the_order_of_play_and_their_sub_phases_follow() -> None:
    for spec in games():
        headings = re.findall(r"^(####? (?:Sub-phase: )?)(.+)$", rulebook(spec).partition("## Phase")[2], re.MULTILINE)
        assert [name for level, name in headings if level == "### "] == list(dict.fromkeys(spec.sequence))
        assert {name for level, name in headings if level != "### "} == {p.name for p in spec.phases} - {*spec.sequence}
        seen: set[str] = set()
        callers = callers_of(spec)
        for level, name in headings:
            assert level == "### " or seen & set(callers[name])
            seen.add(name)


def callers_of(spec: GameSpec) -> dict[str, list[str]]:
    """Per phase those that perform it or loop over it."""
    callers: dict[str, list[str]] = {phase.name: [] for phase in spec.phases}
    for phase in spec.phases:
        for name in dict.fromkeys(phase.rounds if isinstance(phase, BettingLoop) else ()):
            callers[name].append(phase.name)
    for index, step in ((index, node) for index, node in walk(spec) if isinstance(node, Step)):
        if isinstance(step, Perform) and spec.phases[index].name not in callers[step.phase]:
            callers[step.phase].append(spec.phases[index].name)
    return callers


def test_origins_and_returns_are_right() -> None:
    for spec in games():
        for name, section in phase_sections(rulebook(spec)).items():
            origin, *_, end = section.splitlines()
            callers = set(callers_of(spec)[name])
            called = CALLED.search(origin)
            assert set(bold_names(called[1]) if called else []) == callers
            places = [place for place, other in enumerate(spec.sequence, start=1) if other == name]
            stated = re.match(r"\*\(main phase ([\d, and]+) of (\d+)", origin)
            assert [int(place) for place in re.findall(r"\d+", stated[1] if stated else "")] == places
            assert not stated or int(stated[2]) == len(spec.sequence)
            following = {spec.sequence[place] for place in places if place < len(spec.sequence)}
            links = bold_names(end) if end.startswith("*(Play ") else []
            assert set(links) == following | callers


def test_a_main_phase_that_is_also_called_and_played_twice() -> None:
    kuhn = NAMED["kuhn"]()
    setup = replace(kuhn.phases[0], steps=(*kuhn.phases[0].steps, Perform("Ante")))  # type: ignore[union-attr]
    spec = replace(kuhn, phases=(setup, *kuhn.phases[1:]), sequence=("Setup", "Ante", "Ante", "Betting", "Showdown"))
    section = phase_sections(rulebook(spec))["Ante"]
    assert section.startswith("*(main phase 2 and 3 of 5; called from **Setup**)*\n")
    assert section.endswith(
        "*(Play goes on with **Ante** or **Betting**, or returns to **Setup** if it was called from there.)*"
    )


def test_every_decision_phase_is_named_in_its_round() -> None:
    for spec in games():
        sections = phase_sections(rulebook(spec))
        for phase in spec.phases:
            assert set(decision_phases(phase)) <= set(bold_names(sections[phase.name]))


# ---------------------------------------------------------------------------------------------- form


def faults(text: str) -> list[str]:
    """Lines that are not clean Markdown or not clean prose."""
    found = []
    if not text.endswith(".\n") and not text.endswith(".)*\n"):
        found.append("the end")
    if "\n\n\n" in text:
        found.append("an empty paragraph")
    for line in text.splitlines():
        body = re.sub(r"^ *(?:- |\d+\. )?", "", line)
        if not body:
            if line:
                found.append(f"blanks only: {line!r}")
        elif (
            re.search(
                r"  |[{}\x00-\x1f]|None|\btuple\b|<|\s$| [,.;:)]|\(\s|\(\)|[,;] \(|; but|\.\.|::|,,|;;|;,|\bthe the\b",
                body,
            )
            or body.count("**") % 2
            or body.count("(") != body.count(")")
            or body.count('"') % 2
        ):
            found.append(line)
        elif not re.match(r"#{1,4} \S|\*\(|- |\d+\. |  ", line):
            found.append(f"neither heading nor list nor note: {line}")
        elif not line.startswith("#") and body[-1] not in '.:*"':
            found.append(f"no full stop: {line}")
        elif re.search(r"\b1 (?:chips|cards)\b|\b(?:0|[2-9]|1\d) (?:chip|card)\b", body):
            found.append(f"grammar: {line}")
    return found


def test_clean_markdown_and_prose() -> None:
    for spec in games():
        assert faults(rulebook(spec)) == []


@pytest.mark.parametrize(
    "text",
    [
        "- Two  blanks.\n", "- {name} pays.\n", "- An open (bracket.\n", "- **bold.\n", "Prose.\n", "- No stop\n",
        "- A.\n\n\n- B.\n", "- 1 chips.\n", "- Paid by None.\n", "- A.\n   \n- B.\n", "- 2 card.\n", "- A .\n",
        "- A, (b).\n",
    ],
)  # fmt: skip
def test_unclean_text_is_found(text: str) -> None:
    assert faults(text)


def test_lists_nest_by_two_blanks_below_an_item_that_announces_them() -> None:
    for spec in games():
        before = ""
        for line in rulebook(spec).splitlines():
            depth, above = len(line) - len(line.lstrip(" ")), len(before) - len(before.lstrip(" "))
            assert depth % 2 == 0
            if depth > above:
                assert depth == above + 2
                assert before.endswith(":")
            before = line


def test_the_same_spec_gives_the_same_text_in_any_process() -> None:
    code = "import sys; from antemill.engine.text.rulebook import rulebook\n"
    code += "from antemill.engine.rules.spec import from_json\n"
    code += "sys.stdout.buffer.write(rulebook(from_json(sys.stdin.buffer.read())).encode())"
    spec = every_construct()
    texts = set()
    for hash_seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code], input=to_json(spec), capture_output=True, check=True,
            env={"PYTHONHASHSEED": hash_seed}, cwd=FOLDER.parents[2],
        )  # fmt: skip
        texts.add(done.stdout.decode())
    assert texts == {rulebook(spec)}
    assert rulebook(from_json(to_json(spec))) == rulebook(spec)


def test_the_compiled_engine_is_not_needed() -> None:
    code = "import sys; import engine.text.rulebook; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FOLDER.parents[2])


def test_sizes_suit_a_prompt() -> None:
    """Most games of the benchmark's distribution have 5,000 to 40,000 characters; Kuhn poker has fewer."""
    sizes = [len(rulebook(generate(seed))) for seed in range(200)]
    assert sum(5_000 <= size <= 40_000 for size in sizes) >= 0.8 * len(sizes)
    assert len(rulebook(NAMED["kuhn"]())) < 8_000


# ---------------------------------------------------------------------------------------------- what a game needs


def test_general_rules_mention_only_what_the_game_has() -> None:
    kuhn = rulebook(NAMED["kuhn"]())
    for absent in (
        "leader",
        "score",
        "Score",
        "side bet",
        "auction",
        "bids",
        "wager",
        "board",
        "discard",
        "raise",
        "cost",
    ):
        assert absent not in kuhn
    every = rulebook(every_construct())
    for present in ("leader", "Score", "Side bets", "bids", "wagers", "Board", "Discard pile", "Costs", "Equal ranks"):
        assert present in every


def test_suits_are_called_irrelevant_where_no_rule_reads_them() -> None:
    for spec in games():
        if len(spec.deck.suits) > 1:
            assert ("no rule of this game depends on them" in rulebook(spec)) == (not reads_suits(spec))


def test_positions_appear_exactly_where_the_game_has_them() -> None:
    for spec in games():
        if any(isinstance(phase, Positions) for phase in spec.phases):
            assert "Alice is the leader at the start" in rulebook(spec)
        elif "leader" not in to_json(spec).decode() and "follower" not in to_json(spec).decode():
            assert "leader" not in rulebook(spec)


LOOK, GIFT = Peek("alice"), Transfer("alice", "bob", 1)


@pytest.mark.parametrize(
    ("then", "otherwise", "differ"),
    [
        ((LOOK,), (), False),
        ((LOOK,), (Peek("bob"), NoAction()), False),
        ((GIFT, LOOK), (GIFT,), False),
        ((Draw("alice", visibility="private"),), (Draw("bob", visibility="private"),), False),
        ((Discard("bob", "lowest"),), (Discard("bob", "highest"),), False),
        ((If(Leads("bob"), (LOOK,), public=False),), (), False),
        ((GIFT,), (), True),
        ((GIFT,), (Transfer("alice", "bob", 2),), True),
        ((Peek("alice", "occurrence"),), (), True),
        ((Draw("alice", visibility="private"),), (), True),
        ((Discard("bob", "lowest", face_up=True),), (Discard("bob", "highest"),), True),
        ((If(Leads("bob"), (LOOK,)),), (), True),
        ((If(Leads("bob"), (GIFT,), public=False),), (), True),
    ],
)
def test_private_branches_say_whether_they_can_be_told_apart(
    then: tuple[Step, ...], otherwise: tuple[Step, ...], differ: bool
) -> None:
    """As far as the steps go: what all players see of them is the same, or not."""
    kuhn = NAMED["kuhn"]()
    secret = Steps("Secret", (If(HoldsRank("bob", (13,)), then, otherwise, public=False),))
    text = rulebook(replace(kuhn, phases=(*kuhn.phases, secret), sequence=("Setup", "Secret", "Showdown")))
    first = text.partition("### Secret")[2].partition("- If ")[2].partition("\n")[0]
    assert ("the cases differ in what everyone sees" in first) == differ
    assert ("everyone sees the same in all cases" in first) != differ


# ---------------------------------------------------------------------------------------------- golden ones


def test_the_golden_rulebooks_are_there() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(GAMES)
    assert len(GAMES) == len(NAMED) + 1 >= 4


@pytest.mark.parametrize("name", list(GAMES))
def test_rulebooks_are_as_recorded(name: str) -> None:
    recorded = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    advice = "if the change is meant, run: python -m tests.engine.text.golden_rulebooks"
    assert_same(rulebook(GAMES[name]()), recorded, advice)


def test_combinations_are_only_others_where_some_are_listed_before() -> None:
    duel = Simultaneous("Duel", ("a", "b"), ("c", "d"), (), (Score("alice", 1),))
    spec = replace(kuhn(), phases=(*kuhn().phases, duel), sequence=("Setup", "Ante", "Duel", "Betting", "Showdown"))
    assert check(spec) == []
    assert "For every combination, Alice's choice first (a/c, a/d, b/c, b/d):" in rulebook(spec)
    listed = replace(spec, phases=(*kuhn().phases, replace(duel, cells=(Cell("a", "c", (Score("bob", 1),)),))))
    assert "For all other combinations, Alice's choice first (a/d, b/c, b/d):" in rulebook(listed)


def test_what_is_said_of_a_raise_against_an_opponent_without_chips_is_so() -> None:
    """Bob has put 3 chips into the pot, his last one as a bet; Alice raises all the same."""
    more = Steps("More", (Transfer("bob", "pot", 1),))
    setup = [one for one in kuhn().phases if one.name != "Betting"]
    sequence = ("Setup", "Ante", "More", "Betting", "Showdown")
    spec = replace(
        kuhn(), chips=3, phases=(*setup, more, FixedBetting("Betting", "alice", 1, 1)), sequence=sequence
    )  # fmt: skip
    assert check(spec) == []
    words = "their **call** costs nothing and what was added goes back, while by a **fold** they give up the pot"
    assert words in rulebook(spec)

    def payoff(seed: int, *choices: str) -> int:
        match = Match(spec, seed)
        for choice in choices:
            match.apply(choice)
        assert match.over
        return match.result.payoffs[0]

    called = [payoff(seed, "check", "bet", "raise", "call") for seed in range(10)]
    assert called == [payoff(seed, "check", "bet", "call") for seed in range(10)]
    assert set(called) == {3, -2}
    assert {payoff(seed, "check", "bet", "raise", "fold") for seed in range(10)} == {3}
