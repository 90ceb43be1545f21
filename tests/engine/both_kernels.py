"""A fuzz of kernels: every call from Python is made twice, of the Python function and of machine code, and compared.

`python -m tests.engine.both_kernels A B` tries the fuzzer's games of the seeds A to B - 1, each with small work of all
parts that play it; it prints how many calls of how many kernels were compared. A result, and every array that was
passed, must be the same to the bit. Where Python raises, machine code decides (`antemill.engine.kernel_plain`), and
nothing is compared.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from antemill.axes import score
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.kernel_cache import cache_of
from antemill.engine.kernel_plain import _arrays, _as_machine_code_returns, _called, _here, compiled_at_once
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.gate import gate
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.describe import random_playout
from antemill.solver import build_tree, exploitability, solve
from antemill.solver.algorithms.table import ALGORITHMS
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.machine.paths import TINY

# Kernels whose results have parts that nothing reads, and that nothing has written.
UNWRITTEN = {"lower"}
LIMIT = 200  # nodes of a tree that is solved

_kernels: Any = import_module("antemill.engine.kernel")
_usual: Callable[[Any, tuple[Any, ...]], Callable[..., Any] | None] = _kernels.instead_of_compiling
compared: Counter[str] = Counter()
_twins: dict[Any, Any] = {}


def both(kernel: Any, arguments: tuple[Any, ...]) -> Callable[..., Any] | None:
    """What numba calls in place of code that the process does not have: see `instead_of_compiling`."""
    if _here.running or not hasattr(kernel._cache, "kept") or kernel in _twins.values():
        usual: Callable[..., Any] | None = _usual(kernel, arguments)
        return usual
    return partial(_twice, kernel)


def _twice(kernel: Any, *arguments: Any) -> Any:
    before = [array.copy() for array in _arrays(arguments)]
    _here.running, _here.until = True, float("inf")
    try:
        with np.errstate(all="ignore"):
            plain, failed = _as_machine_code_returns(_called(kernel.py_func, *arguments)), False
    except Exception:
        plain, failed = None, True
    finally:
        _here.running = False
    after = [array.copy() for array in _arrays(arguments)]
    for array, content in zip(_arrays(arguments), before, strict=True):
        if array.flags.writeable:
            array[...] = content
    with compiled_at_once():
        found = _called(_twin(kernel), *arguments)
    name = kernel.py_func.__qualname__
    if not failed:
        compared[name] += 1
        assert name in UNWRITTEN or [*_bits(plain)] == [*_bits(found)], f"{name} returns {plain} and {found}"
        assert [*_bits(tuple(after))] == [*_bits(tuple(_arrays(arguments)))], f"{name} leaves other arrays"
    return found


def _twin(kernel: Any) -> Any:
    """A kernel of the same function, which takes machine code from the cache; the kernel itself has none."""
    if kernel not in _twins:
        _twins[kernel] = _kernels._Dispatcher(kernel.py_func, kernel.targetoptions)
        _twins[kernel]._cache = cache_of(kernel.py_func)
    return _twins[kernel]


def _bits(value: Any) -> Iterator[object]:
    """What two equal results have in common: types, shapes and bytes."""
    if isinstance(value, tuple):
        yield len(value)
        for part in value:
            yield from _bits(part)
    elif isinstance(value, np.ndarray):
        yield value.dtype.str, value.shape, value.tobytes()
    elif isinstance(value, float):
        yield "float", np.float64(value).tobytes()
    else:
        yield type(value).__name__, value


def work(spec: GameSpec, seed: int) -> None:
    """A little of everything that plays a game."""
    program = compile_spec(spec)
    gate(program, seed, 3)
    rollout(program, 3, streams(seed))
    score(program, TINY, seed)
    random_playout(program, seed)


def walk(spec: GameSpec, seed: int) -> None:
    """A little of everything that walks a game's tree, if it is small."""
    program = compile_spec(spec)
    if count_nodes(program, LIMIT) <= LIMIT:
        tree = build_tree(program)
        found = solve(tree, algorithm=[*ALGORITHMS][seed % len(ALGORITHMS)], iterations=3)
        exploitability(tree, found.profile)


def main(first: int, last: int) -> None:
    """Compare on the games of these seeds."""
    _kernels.instead_of_compiling = both
    for seed in range(first, last):
        work(fuzzed(seed), seed)
        walk(fuzzed(seed, small=True), seed)
    print(f"{compared.total():,} calls of {len(compared)} kernels")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
