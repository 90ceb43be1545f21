"""Compiling the kernels before workers start, so that not every worker compiles them at the same time; loading them."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

from engine.kernel_cache import locked, module_dir
from engine.storage.lean import without_pandas

_MARKER = "compiled"


def warm_kernels() -> None:
    """Compile what gate and axes run, unless these sources' cache holds it already. Takes about a minute.

    Of several processes with the same cache one compiles, and the others wait for it.
    """
    folder = module_dir("engine.machine.gate", "axes.scores")
    if (folder / _MARKER).exists():
        return
    with locked(folder):
        if not (folder / _MARKER).exists():
            if sys.stderr.isatty():
                print("compiling the kernels; this happens once for each version", file=sys.stderr)
            run_kernels()
            (folder / _MARKER).touch()


def load(scoring: bool) -> None:
    """Load what otherwise is loaded when it is first called: the kernels, and Arrow's functions.

    For the server that workers are forked from, after all imports. They share its memory as long as they do not write
    to it: the machine code, and the modules, whose objects the garbage collector leaves alone from here on. scoring:
    with what the axes need beyond the gate, 40 MB of scipy above all.
    """
    from tournament.pool.work import write_and_read

    without_pandas()
    with suppress(Exception):  # what fails here fails in a job, too, which says so
        run_kernels(scoring)
        write_and_read()
    gc.collect()
    gc.freeze()


def run_kernels(scoring: bool = True) -> None:
    """Call everything that the gate runs, and the axes if there is scoring, on a small game."""
    from engine.compiler.compile import compile_spec
    from engine.machine.gate import gate
    from engine.rules.named import NAMED

    program = compile_spec(NAMED["kuhn"]())
    gate(program, 0, 1)
    if not scoring:
        return
    from axes.budgets import Tier
    from axes.scores import score

    small = Tier("warm", level0=50, level1=50, opponents=2, focused=2, playouts=2, trials=2, dirichlet=2)
    score(program, small)
