"""`antemill doctor`: what this machine has, and whether the folder of a run is undamaged."""

from __future__ import annotations

import importlib.util
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antemill.engine.builder.generate import builder_hash
from antemill.engine.errors import StorageError
from antemill.engine.execute import default_workers
from antemill.engine.kernel_cache import cache_dir, kept_kernels
from antemill.engine.storage.store import VERSION
from antemill.engine.storage.store import machine as machine_version
from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from antemill.tournament.runs.config import RunConfig
    from antemill.tournament.runs.health import Health

_PACKAGES = ("antemill", "numba", "llvmlite", "numpy", "scipy", "pyarrow", "msgspec")
_EXTRAS = {  # module: the extra that brings it
    "ray": "ray",
    "pyspiel": "openspiel",
    "pettingzoo": "pettingzoo",
    "gymnasium": "gymnasium",
    "duckdb": "duckdb",
    "inspect_ai": "inspect",
}


def doctor(
    folder: Path | None = None,
    *,
    json: AsJson = False,
) -> None:
    """Processors, cache, sandbox; or check a run's folder.

    Of a folder: whether it is undamaged.

        antemill doctor --json
        antemill doctor cup

    Args:
        folder: A run's folder, to be checked instead of the machine.
    """
    if folder is not None:
        check_run(folder, json)
        return
    document = examine()
    if json:
        print_json(document)
        return
    cache = document["cache"]
    rows = [
        ("processors", document["cores"]),
        ("kernel cache", f"{cache['state']}, {cache['kernels']} kernels in {cache['folder']}"),
        ("sandbox", f"{document['sandbox']['backend'] or 'none'}: {document['sandbox']['reason']}"),
        *((f"version of {name}", number) for name, number in document["versions"].items()),
        *((f"extra {name}", "found" if found else "not installed") for name, found in document["extras"].items()),
    ]
    print_table("", ("", ""), rows, texts=2)


def examine() -> dict[str, Any]:
    """The facts about this machine as one document."""
    folder = cache_dir()
    kernels = kept_kernels()
    return {
        "cores": default_workers(),
        "cache": {"folder": str(folder), "state": "warm" if kernels else "cold", "kernels": kernels},
        "sandbox": sandbox(),
        "versions": versions(),
        "extras": {extra: importlib.util.find_spec(module) is not None for module, extra in _EXTRAS.items()},
    }


def sandbox() -> dict[str, Any]:
    """The sandbox that judges untrusted code: its backend, if this machine can be protected, and one sentence."""
    from antemill.engine.execute.sandbox import examine

    found = examine()
    return {"backend": "native" if found.usable else None, "reason": found.reason}


def versions() -> dict[str, str]:
    """Versions of Python, of packages, and of everything that our files depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source folder
            found[package] = "not installed"
    return found | {"builder": builder_hash(), "instruction set": machine_version(), "schema": str(VERSION)}


# ------------------------------------------------------------------------------------------------ a run's folder


def run_kinds() -> Mapping[str, type[RunConfig]]:
    """The type of the configuration of each kind of runs."""
    from antemill.tournament.kinds import KINDS

    return {name: one.kind.config for name, one in KINDS.items()}


def check_run(folder: Path, as_json: bool) -> None:
    """Print what was found. Raises StorageError if something is damaged."""
    from antemill.tournament.runs.database import SAVED
    from antemill.tournament.runs.health import examine as examined

    found = examined(folder, run_kinds())
    if as_json:
        print_json(found)
    else:
        _print(found)
    if found.problems:
        raise StorageError(f"{folder} is damaged: {SAVED}")


def _print(found: Health) -> None:
    say(*(f"- {problem}" for problem in found.problems))
    say(f"On record: {found.items:,} finished items and {found.calls:,} calls for ${found.dollars:,.4f}.")
    if not found.problems:
        say("All is well so far: a process is working on it." if found.running else "All is well.")
