"""Extreme games on a machine with a guard word behind every region of its state: `python -m
tests.engine.machine.guarded`.

The layout is loaded with one more word after everything that it takes, then the plain Python of the kernels plays games
that fill every region to its limit, along with the plain interpreter. Prints a line for every game whose play has
changed a guard word; `python -m tests.engine.machine.guarded spoilt` plays one that the checker refuses, which must.
"""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

os.environ["NUMBA_DISABLE_JIT"] = "1"


def guarded_layout() -> ModuleType:
    """`antemill.engine.machine.layout` with `GUARDS`, the places of the guard words."""
    path = Path(__file__).parents[3] / "engine" / "machine" / "layout.py"
    source, growth = path.read_text(encoding="utf-8"), "    _next += words\n"
    assert source.count(growth) == 1
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("antemill.engine.machine.layout", None))  # type: ignore[arg-type]
    module.__dict__["GUARDS"] = []
    guarded = source.replace(growth, "    GUARDS.append(_next + words)\n    _next += words + 1\n")
    exec(compile(guarded, str(path), "exec"), module.__dict__)
    return module


if __name__ == "__main__":
    sys.modules["antemill.engine.machine.layout"] = guarded_layout()

import numpy as np  # noqa: E402

from antemill.engine.compiler.compile import compile_spec  # noqa: E402
from antemill.engine.machine import layout as at  # noqa: E402
from antemill.engine.machine.program import Program  # noqa: E402
from antemill.engine.rules.check import check  # noqa: E402
from antemill.engine.rules.legality.registry import MAX_CONDITIONALS  # noqa: E402
from antemill.engine.rules.limits import (  # noqa: E402
    MAX_PHASES,
    MAX_SIDE_BETS,
    MAX_VARIABLES,
)
from antemill.engine.rules.spec import (  # noqa: E402
    ActionRound,
    AddToVariable,
    ChipsAre,
    Deal,
    DealBoard,
    Deck,
    Discard,
    GameSpec,
    If,
    NoAction,
    Option,
    Perform,
    Phase,
    Showdown,
    Shuffle,
    SideBet,
    Steal,
    Steps,
    Swap,
)

WORD = 0x6A4D
SIXTY = Deck(tuple(range(2, 17)), ("a", "b", "c", "d"))


def game(name: str, *phases: Phase, variables: tuple[str, ...] = (), deck: Deck = SIXTY) -> GameSpec:
    sequence = tuple(phase.name for phase in phases)
    return GameSpec(name, deck, 10_000, (*phases, Showdown("End", board=True)), (*sequence, "End"), variables)


def nested_calls(levels: int) -> GameSpec:
    """Rounds with two picks, each of which may perform the next one; all are main phases, too, the first one twice."""
    rounds: list[Phase] = []
    for level in range(1, levels + 1):
        deeper = (Perform(f"Round {level + 1}"),) if level < levels else (NoAction(),)
        rounds.append(ActionRound(f"Round {level}", "alice", (Option("deeper", deeper), Option("stay")), picks=2))
    setup = Steps("Setup", (Shuffle(), Deal(1), DealBoard(1)))
    spec = game(f"{levels} levels", setup, *rounds)
    return GameSpec(spec.name, spec.deck, spec.chips, spec.phases, (*spec.sequence[:2], *spec.sequence[1:]))


def all_cards() -> GameSpec:
    """All cards in Alice's hand, in Bob's, among the discards, and on the board."""
    choice = ActionRound("Choice", "alice", (Option("a"), Option("b")))
    moves = (*(Steal("alice"),) * 60, Swap("bob"), *(Steal("bob"),) * 60)
    away = (*(Discard("bob", "random"),) * 60, Shuffle(discard_pile=True))
    return game(
        "all cards",
        Steps("Setup", (Shuffle(), Deal(30))),
        choice,
        Steps("Moves", (*moves, *away)),
        Steps("Again", (Deal(60, "alice"), *(Discard("alice", "lowest"),) * 60, Shuffle(discard_pile=True))),
        Steps("Board", (DealBoard(60),)),
    )


def everything_counted() -> GameSpec:
    """As many variables, side bets, phases and conditionals as there may be."""
    names = tuple(f"v{i}" for i in range(MAX_VARIABLES))
    rich, poor = ChipsAre("bob", ">", 3), ChipsAre("bob", "<", 3)
    wagers = [SideBet(f"W{i}", "bob", 1, rich if i % 2 else poor) for i in range(MAX_SIDE_BETS)]
    adds = tuple(AddToVariable(name, 10_000) for name in names)
    tests = Steps("Tests", tuple(If(rich, (NoAction(),)) for _ in range(MAX_CONDITIONALS)))
    setup = Steps("Setup", (Shuffle(), Deal(1), DealBoard(1), *adds))
    rest = [Steps(f"P{i}", (NoAction(),)) for i in range(MAX_PHASES - len(wagers) - 3)]
    return game("everything counted", setup, *wagers, tests, *rest, variables=names)


def play(spec: GameSpec, seed: int) -> bool:
    """Play along with the interpreter, with seed 0 the first options first; whether all guard words are unchanged."""
    from tests.engine.machine.differential import Keys, compare

    rng = np.random.default_rng(seed)
    choices = [0] * 12 + [1] * 400 if seed == 0 else rng.integers(5040, size=400).tolist()
    program = compile_spec(spec)
    played = compare(spec, program, choices, Keys())
    return bool((played.state[at.GUARDS] == WORD).all())  # type: ignore[attr-defined]


def main(spoilt: bool) -> None:
    """Play the games and print what went wrong."""
    from tests.engine.machine.fuzz_specs import fuzzed
    from tests.specs import every_construct

    np.seterr(over="ignore")
    plain = Program.initial_state

    def with_guards(program: Program) -> np.ndarray:
        state = plain(program)
        state[at.GUARDS] = WORD  # type: ignore[attr-defined]
        return state

    Program.initial_state = with_guards  # type: ignore[assignment, method-assign]
    if spoilt:
        print("guards hold" if play(nested_calls(9), 0) else "9 levels")
        return
    legal = [nested_calls(8), all_cards(), everything_counted(), every_construct(), *map(fuzzed, range(10))]
    for spec in legal:
        assert not check(spec), check(spec)
        for seed in range(2):
            if not play(spec, seed):
                print(spec.name)
    print(f"{len(legal)} games, {len(at.GUARDS)} guard words")  # type: ignore[attr-defined]


if __name__ == "__main__":
    main("spoilt" in sys.argv)
