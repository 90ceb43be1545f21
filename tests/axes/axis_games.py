"""Games, logs and standard errors for the tests of the axes."""

import functools
import math
from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np

from antemill.axes.budgets import Tier
from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log, empty_log, rollout, streams
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    Cell,
    Deal,
    Deck,
    GameSpec,
    Option,
    Phase,
    Simultaneous,
    Steps,
    Transfer,
)
from tests.specs import every_construct

NAMES = ("kuhn", "leduc", "appendix-b", "every construct", "0", "1", "2", "3")
SMALL = Tier(
    "small",
    level0=150,
    level1=120,
    opponents=8,
    focused=12,
    playouts=12,
    trials=9,
    shift=0.25,
    dirichlet=3,
    dirichlet_playouts=10,
)


@functools.cache
def program(name: str) -> Program:
    """A named game, `every construct`, one of this file's, or a generated one by its seed."""
    if name in NAMED:
        return compile_spec(NAMED[name]())
    if name.isdigit():
        return compile_spec(generate(int(name)))
    return compile_spec({"every construct": every_construct, **DEGENERATE, **SIMPLE}[name]())


def random_log(name: str, episodes: int, seed: int = 1) -> Log:
    return rollout(program(name), episodes, streams(seed))


def join(logs: Sequence[Log]) -> Log:
    """One log of all episodes."""
    shifts = np.cumsum([0, *(log.episodes for log in logs)])
    shifted = [log._replace(episode=log.episode + np.int32(shift)) for log, shift in zip(logs, shifts, strict=False)]
    return Log(*(np.concatenate(columns) for columns in zip(*shifted, strict=True)))


# ------------------------------------------------------------------------------------------------ little games


def game(name: str, *phases: Phase) -> GameSpec:
    setup = Steps("Setup", (Deal(1),))
    sequence = ("Setup", *(phase.name for phase in phases))
    return GameSpec(name, Deck((11, 12, 13), ("hearts",)), 5, (setup, *phases), sequence)


def one_action() -> GameSpec:
    return game("one action", ActionRound("Move", player="alice", options=(Option("go"),)))


def no_stakes() -> GameSpec:
    return game(
        "no stakes",
        ActionRound("First", player="alice", options=(Option("left"), Option("right"))),
        ActionRound("Second", player="bob", options=(Option("left"), Option("right")), picks=2),
    )


def one_sided() -> GameSpec:
    """Alice gives a chip or takes one; Bob never decides."""
    give, take = Transfer("alice", "bob", 1), Transfer("bob", "alice", 1)
    return game(
        "one sided", ActionRound("Move", player="alice", options=(Option("give", (give,)), Option("take", (take,))))
    )


def pennies() -> GameSpec:
    """Matching pennies: Alice wins a chip if both choose alike."""
    win, lose = (Transfer("bob", "alice", 1),), (Transfer("alice", "bob", 1),)
    cells = (Cell("heads", "heads", win), Cell("tails", "tails", win))
    return game("pennies", Simultaneous("Pennies", ("heads", "tails"), ("heads", "tails"), cells, others=lose))


DEGENERATE: dict[str, Callable[[], GameSpec]] = {"one action": one_action, "no stakes": no_stakes}
SIMPLE: dict[str, Callable[[], GameSpec]] = {"one sided": one_sided, "pennies": pennies}

# ------------------------------------------------------------------------------------------------ Kuhn, exhaustively

BET_CHECK_A, FOLD_CALL_B, BET_CHECK_B, FOLD_CALL_A = range(4)  # the compiled decision types
_BET, _CHECK, _FOLD, _CALL = 0, 1, 0, 1
Leaf = tuple[tuple[tuple[int, int, int, int], ...], int, int]  # (seat, type, action, key)..., payoff, copies in 48


def kuhn_leaves() -> list[Leaf]:
    """All plays of Kuhn poker, each with the 48ths of its probability when both play uniformly."""
    leaves: list[Leaf] = []
    for a, b in permutations(range(1, 4), 2):
        sign = 1 if a > b else -1
        check, bet = (0, BET_CHECK_A, _CHECK, a), (0, BET_CHECK_A, _BET, a)
        raised = (1, BET_CHECK_B, _BET, 10 + b)
        leaves += [
            ((check, (1, BET_CHECK_B, _CHECK, 10 + b)), sign, 2),
            ((check, raised, (0, FOLD_CALL_A, _FOLD, 20 + a)), -1, 1),
            ((check, raised, (0, FOLD_CALL_A, _CALL, 20 + a)), 2 * sign, 1),
            ((bet, (1, FOLD_CALL_B, _FOLD, 30 + b)), 1, 2),
            ((bet, (1, FOLD_CALL_B, _CALL, 30 + b)), 2 * sign, 2),
        ]
    return leaves


def kuhn_log(scale: int, extra: int = -1) -> Log:
    """A log with every play of Kuhn poker `scale` times its 48ths, and play number `extra` once more."""
    episodes = []
    for i, (rows, payoff, copies) in enumerate(kuhn_leaves()):
        episodes += [(rows, payoff)] * (scale * copies + (i == extra))
    log = empty_log(sum(len(rows) for rows, _ in episodes), len(episodes))
    at = 0
    for e, (rows, payoff) in enumerate(episodes):
        log.payoff[e] = payoff
        for seat, dt, action, key in rows:
            log.seat[at], log.decision[at], log.action[at], log.episode[at] = seat, dt, action, e
            log.info[at] = log.context[at] = key
            at += 1
    return log


def kuhn_error(statistic: Callable[[Log], float], episodes: int) -> float:
    """Standard error of a statistic of a log of uniform play, by the delta method.

    The influence of a play x is the derivative of the statistic when probability moves to x: here the change caused by
    one more copy of x in an exhaustive log of N episodes, times N + 1. The variance of the statistic over n independent
    episodes is sum of p(x) influence(x)^2 / n.
    """
    scale = 20
    plays = 48 * scale
    base = statistic(kuhn_log(scale))
    variance = 0.0
    for x, (_, _, copies) in enumerate(kuhn_leaves()):
        influence = (statistic(kuhn_log(scale, extra=x)) - base) * (plays + 1)
        variance += copies / 48 * influence**2
    return math.sqrt(variance / episodes)
