"""Compiling the kernels before workers start, with two processors where there are two; loading them."""

from __future__ import annotations

import gc
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from antemill.engine.cache_root import locked
from antemill.engine.execute import Job, beside
from antemill.engine.kernel_cache import module_dir
from antemill.engine.kernel_plain import compiled_at_once
from antemill.engine.storage.lean import without_pandas

if TYPE_CHECKING:
    from antemill.axes.budgets import Tier
    from antemill.engine.machine.program import Program

_MARKER = "compiled"


def warm_kernels() -> None:
    """Compile the kernels of drawing, gate and axes, unless the cache of these sources has them. Takes about a minute.

    Of several processes with the same cache one compiles, and the others wait for it. A second process begins at the
    other end: with drawing, then the axes, which do not need the machine before they play. Each kernel is compiled by
    one of the two (`antemill.engine.kernel_cache`).
    """
    marker = _marker()
    if marker.exists():
        return
    with locked(marker.parent):
        if not marker.exists():
            with compiled_at_once(), beside(Job("rules", 0, run_rules_and_axes)):
                run_kernels()
                run_rules()
            marker.touch()


def _marker() -> Path:
    """The file that says that the cache holds all kernels of these sources."""
    rules = ("antemill.engine.builder.generate", "antemill.engine.rules.constructs", "antemill.engine.compiler.compile")
    return module_dir(*rules, "antemill.engine.machine.gate", "antemill.axes.scores") / _MARKER


def load() -> None:
    """Load the kernels and Arrow's functions before their first call, in the server that workers are forked from, after
    all imports. The workers share its memory as long as they do not write to it: the machine code, and the modules,
    whose objects the garbage collector leaves alone from here on.
    Kernels that are not in the cache are left to `warm_kernels`, which may be compiling them in another process.
    """
    without_pandas()
    with suppress(Exception):  # an error here occurs in a job, too, which reports it
        if _marker().exists():
            run_rules()
            run_kernels()
            run_rows()
    gc.collect()
    gc.freeze()


def run_kernels() -> None:
    """Call everything that the gate and the axes run, on a small game."""
    from antemill.axes.scores import score
    from antemill.engine.machine.gate import gate

    program = _kuhn()
    gate(program, 0, 1)
    score(program, _small())


def run_rows() -> None:
    """Draw a few candidates, bring them into the form of files and back."""
    from antemill.engine.storage import store
    from antemill.tournament.pool.candidates import judged, table_of

    games = table_of(judged([(seed, 0.5) for seed in range(4)]))
    store.decode(store.encode(store.CANDIDATES, games, ""), store.CANDIDATES, "memory")


def run_rules() -> None:
    """Draw a game, look at what it is made of, and compile it."""
    from antemill.engine.builder.generate import generate
    from antemill.engine.compiler.compile import compile_spec
    from antemill.engine.rules.constructs import constructs

    spec = generate(0)
    constructs(spec)
    compile_spec(spec)


def run_rules_and_axes(_seed: int) -> None:
    """The job of the process beside this one: what it compiles."""
    with compiled_at_once():
        run_rules()
        run_axes()


def run_axes() -> None:
    """Call all axes, the last ones first, on an empty log; those that play come after the others."""
    from antemill.axes.axis import Play
    from antemill.axes.table import AXES
    from antemill.engine.machine.rollout import empty_log

    log = empty_log(2, 2)
    for column in log:
        column[...] = 0
    log.episode[1], log.payoff[1] = 1, 1
    play = Play(_kuhn(), log, _small(), 0)
    backwards = [*AXES.values()][::-1]
    for plays in (False, True):
        for axis in backwards:
            if axis.plays == plays:
                axis.measure(play)


def _kuhn() -> Program:
    from antemill.engine.compiler.compile import compile_spec
    from antemill.engine.rules.named import NAMED

    return compile_spec(NAMED["kuhn"]())


def _small() -> Tier:
    from antemill.axes.budgets import Tier

    return Tier("warm", level0=50, level1=50, opponents=2, focused=2, playouts=2, trials=2, dirichlet=2)
