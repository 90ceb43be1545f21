"""The versions on which results of jobs depend, so that a cluster never mixes results of different versions."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("antemill", "numba", "llvmlite", "numpy", "scipy", "pyarrow")
BUILDER = "antemill.engine.builder.generate"  # builder_hash() is the same digest, but would read the sources again
CODE = "code of "  # the digests behind this prefix mean nothing to a reader


@cache
def versions(modules: tuple[str, ...]) -> dict[str, str]:
    """Versions of Python and of packages, of the builder and the machine, and of the code of our modules among these.

    A module's code is the digest of its meaning and of all that it imports (`antemill.engine.digests`).
    """
    from antemill.engine.digests import source_of
    from antemill.engine.kernel_cache import sources
    from antemill.engine.storage.store import machine

    found = {"Python": f"{sys.version_info[0]}.{sys.version_info[1]}"}
    found |= {package: _version(package) for package in _PACKAGES}
    found |= {"builder": sources().digest([BUILDER]), "instruction set": machine()}
    return found | {CODE + name: sources().digest([name]) for name in modules if source_of(name) is not None}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from a source folder
        return "none"


def differences(theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """The differences in words, such as "numba 0.67.0 (here 0.68.1)", the most informative first."""
    found = []
    for name in ours:
        there, here = theirs.get(name, "none"), ours[name]
        if there != here:
            found.append(f"another {name}" if name.startswith(CODE) else f"{name} {there} (here {here})")
    return found
