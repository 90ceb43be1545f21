"""Annotated configurations, which `antemill init` writes. They run as they are, with scripted players.

Each kind of run has its own (`template.toml`). run.toml is the end of all of them; grades.toml has the scripted players
of demonstrations.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import msgspec

from antemill.engine.errors import UsageError
from antemill.engine.storage.files import write_text
from antemill.tournament.kinds import KINDS


def template(kind: str) -> str:
    """The annotated configuration of a kind of run, or "models"."""
    return read(kind) if kind == "models" else KINDS[kind].text("template.toml") + read("run")


def write_templates(kind: str, path: Path) -> list[Path]:
    """Write a configuration, and a list of models beside it if there is none; returns the written files.

    Raises UsageError if the configuration exists already, StorageError if it cannot be written.
    """
    if path.exists():
        raise UsageError(f"{path} exists already: name another file, or remove it.")
    write_text(path, template(kind).replace(f"{kind}.toml --out", f"{path.name} --out"))
    models = path.parent / "models.toml"
    if models.exists():
        return [path]
    write_text(models, template("models"))
    return [path, models]


def write_rules(path: Path) -> list[Path]:
    """Write the rules of Kuhn poker, to be changed. Raises UsageError if the file exists already."""
    from antemill.engine.public.games import game, to_json

    if path.exists():
        raise UsageError(f"{path} exists already: name another file, or remove it.")
    write_text(path, msgspec.json.format(to_json(game("kuhn")), indent=2).decode() + "\n")
    return [path]


def read(name: str) -> str:
    """A file of this package."""
    return (files(__package__ or "") / f"{name}.toml").read_text(encoding="utf-8")
