"""Rulebooks as documents: sections, links between phases, what is left out, and the golden ones."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from msgspec.structs import replace

from antemill.engine.builder.generate import generate
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    BettingLoop,
    Discard,
    Draw,
    GameSpec,
    HoldsRank,
    If,
    Leads,
    NoAction,
    Peek,
    Perform,
    Step,
    Steps,
    Transfer,
    from_json,
    to_json,
)
from antemill.engine.rules.walk import reads_suits, walk
from antemill.engine.text.rulebook import rulebook
from tests.differing import assert_same
from tests.engine.text.golden_rulebooks import FOLDER, GAMES
from tests.engine.text.rulebook_sections import CALLED, bold_names, phase_sections
from tests.specs import every_construct

SEEDS = range(60)


def games() -> list[GameSpec]:
    return [*(make() for make in GAMES.values()), *map(generate, SEEDS)]


# ---------------------------------------------------------------------------------------------- structure


def test_every_phase_has_one_section_and_nothing_else_has() -> None:
    for spec in games():
        sections = phase_sections(rulebook(spec))  # which refuses repeated headings
        assert set(sections) == {phase.name for phase in spec.phases}


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


# ---------------------------------------------------------------------------------------------- form


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


# ---------------------------------------------------------------------------------------------- what a game needs


def test_suits_are_called_irrelevant_where_no_rule_reads_them() -> None:
    for spec in games():
        if len(spec.deck.suits) > 1:
            assert ("no rule of this game depends on them" in rulebook(spec)) == (not reads_suits(spec))


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


@pytest.mark.parametrize("name", list(GAMES))
def test_rulebooks_are_as_recorded(name: str) -> None:
    recorded = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    advice = "if the change is meant, run: python -m tests.engine.text.golden_rulebooks"
    assert_same(rulebook(GAMES[name]()), recorded, advice)
