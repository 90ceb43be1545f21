"""Compiling the kernels before workers start, so that not every worker compiles them at the same time."""

from __future__ import annotations

import sys

from engine.kernel_cache import locked, module_dir

_MARKER = "compiled"


def warm_kernels() -> None:
    """Compile what gate and axes run, unless these sources' cache holds it already. Takes about half a minute.

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


def run_kernels() -> None:
    """Call everything that gate and axes run, on a small game."""
    from axes.budgets import Tier
    from axes.scores import score
    from engine.compiler.compile import compile_spec
    from engine.machine.gate import gate
    from engine.rules.named import NAMED

    program = compile_spec(NAMED["kuhn"]())
    gate(program, 0, 1)
    small = Tier("warm", level0=50, level1=50, opponents=2, focused=2, playouts=2, trials=2, dirichlet=2)
    score(program, small)
