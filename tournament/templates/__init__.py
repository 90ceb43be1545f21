"""Annotated configurations, which `antemill init` writes. They run as they are, with scripted players.

run.toml is the end that tournaments, duels and SKATE have in common.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from engine.errors import UsageError
from engine.storage.files import write_text

KINDS = ("tournament", "duel", "skate")


def template(kind: str) -> str:
    """The annotated configuration of a kind of run, or "models"."""
    text = _read(kind)
    return text if kind == "models" else text + _read("run")


def write_templates(kind: str, path: Path) -> list[Path]:
    """Write a configuration, and a list of models beside it if there is none; returns what was written.

    Raises UsageError if the configuration is there already, StorageError if it can not be written.
    """
    if path.exists():
        raise UsageError(f"{path} is there already: name another file, or remove it.")
    write_text(path, template(kind).replace(f"{kind}.toml --out", f"{path.name} --out"))
    models = path.parent / "models.toml"
    if models.exists():
        return [path]
    write_text(models, template("models"))
    return [path, models]


def _read(name: str) -> str:
    return (files(__package__ or "") / f"{name}.toml").read_text(encoding="utf-8")
