"""Whether a program draws from a random generator without a seed, noticed by the generator's state (S3).

Python's class of generators is changed once, before the process is forked or the guest snapshotted. It does what it did
until `watching` is set.
"""

import _random
from collections.abc import Callable
from typing import Any

_STATE: Callable[[Any], object] = _random.Random.getstate
_UNSEEDED = "it uses a generator without a seed"


class Draws:
    """Watches all generators of this interpreter. One that is made is without a seed until it gets one."""

    def __init__(self) -> None:
        self.watching = False
        self._problem = ""
        self._unseeded: dict[int, tuple[Any, object]] = {}  # generators, and their states before anything is drawn
        self._place = id  # before a door stands in its place
        self._prepare()

    @property
    def problem(self) -> str:
        """Why the draws may differ elsewhere; empty if nothing was found."""
        drawn = any(_STATE(generator) != state for generator, state in self._unseeded.values())
        return self._problem or (_UNSEEDED if drawn else "")

    def let_go(self) -> None:
        """Release the generators, after a look at them."""
        self._problem = self.problem
        self._unseeded.clear()

    def _prepare(self) -> None:
        import random  # not before `freeze`

        module: Any = random
        kind: Any = random.Random
        made, seeded, restored, kept = kind.__new__, kind.seed, kind.setstate, kind.getstate
        shared = module._inst
        self._add(shared)

        def new(cls: Any, /, *_: Any, **__: Any) -> Any:
            generator = made(cls, 0)
            if self.watching:
                self._add(generator)
            return generator

        def seed(self_: Any, a: Any = None, version: int = 2) -> None:
            if self.watching:
                self._leave(self_)
            seeded(self_, a, version)
            if not self.watching:
                return
            if a is None and self_ is shared:
                self._problem = self._problem or "it uses random.seed without a seed that is known"
            elif a is None:
                self._add(self_)

        def setstate(self_: Any, state: Any) -> None:
            if self.watching:
                self._leave(self_)
            restored(self_, state)

        def getstate(self_: Any) -> Any:
            if self.watching and self._place(self_) in self._unseeded:
                self._problem = self._problem or _UNSEEDED
            return kept(self_)

        methods = (("__new__", new), ("seed", seed), ("setstate", setstate), ("getstate", getstate))
        for name, function in methods:
            function.__doc__ = getattr(kind, name).__doc__
            function.__name__, function.__qualname__, function.__module__ = name, f"Random.{name}", "random"
            setattr(kind, name, function)
        module.seed, module.setstate, module.getstate = shared.seed, shared.setstate, shared.getstate

    def _add(self, generator: Any) -> None:
        self._unseeded[self._place(generator)] = generator, _STATE(generator)

    def _leave(self, generator: Any) -> None:
        """The generator gets a seed: nothing may have been drawn before."""
        _, state = self._unseeded.pop(self._place(generator), (None, None))
        if state is not None and _STATE(generator) != state:
            self._problem = self._problem or _UNSEEDED
