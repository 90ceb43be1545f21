"""The peers. Their packages are also in requirements-peers.txt."""

from __future__ import annotations

import importlib.util
import sys
from importlib.metadata import PackageNotFoundError, version

from msgspec import Struct


class Peer(Struct, frozen=True):
    """A system: its distribution with the version that is measured, the modules that it takes, and further packages.

    python: the lowest version of Python that it runs on. apart: whether it needs an environment of its own, since its
    requirements contradict those of others.
    """

    name: str
    distribution: str
    number: str
    modules: tuple[str, ...]
    further: tuple[str, ...] = ()
    python: tuple[int, int] = (3, 11)
    apart: bool = False

    @property
    def installed(self) -> bool:
        """Whether all of it can be imported."""
        return all(importlib.util.find_spec(module) is not None for module in self.modules)

    @property
    def version(self) -> str:
        """The version that is installed, with those of further packages; "" if it is not there."""
        names = [self.distribution, *(requirement.partition("==")[0] for requirement in self.further)]
        try:
            own, *others = (version(name) for name in names)
        except PackageNotFoundError:
            return ""
        return ", ".join([own, *(f"{name} {number}" for name, number in zip(names[1:], others, strict=True))])

    @property
    def requirements(self) -> tuple[str, ...]:
        """What pip installs."""
        return (f"{self.distribution}=={self.number}", *self.further)

    @property
    def advice(self) -> str:
        """One sentence: it is not installed, and how it is."""
        command = f"pip install {' '.join(self.requirements)}"
        place = ", into an environment of its own beside antemill" if self.apart else ""
        if sys.version_info[:2] < self.python:
            return f"not installed; with Python {'.'.join(map(str, self.python))} or newer: {command}{place}."
        return f"not installed: {command}{place}."


_JAX = "jax==0.7.2"
OURS = Peer("Antemill", "antemill", "", ())
PGX = Peer("pgx", "pgx", "2.6.0", ("pgx", "jax"), (_JAX,))
OPENSPIEL = Peer("OpenSpiel", "open-spiel", "2.0.2", ("pyspiel",))
JAX_CFR = Peer("OpenSpiel JaxCFR", "open-spiel", "2.0.2", ("pyspiel", "jax", "chex"), (_JAX, "chex==0.1.92"))
RLCARD = Peer("rlcard", "rlcard", "1.2.0", ("rlcard",))
LITE_EFG = Peer("LiteEFG", "LiteEFG", "1.0.0", ("LiteEFG", "pyspiel"))
NOREGRET = Peer("noregret", "noregret", "0.0.0.dev17", ("noregret", "pyspiel"), python=(3, 12), apart=True)
PEERS = (PGX, OPENSPIEL, JAX_CFR, RLCARD, LITE_EFG, NOREGRET)
