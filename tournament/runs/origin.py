"""Checks whether a run has the configuration and materials with which it began, by their hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

HASHES = "materials"  # in the table meta of run.sqlite


def hashes(materials: Mapping[str, bytes]) -> dict[str, str]:
    """The SHA-256 of each material by name, in the order of the names."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in sorted(materials.items())}


def altered(meta: Mapping[str, str], materials: Mapping[str, bytes]) -> list[str]:
    """The materials that differ from those at the beginning, or are missing. Older runs without hashes have none."""
    try:
        begun = msgspec.json.decode(meta.get(HASHES, "{}"), type=dict[str, str])
    except (ValueError, TypeError):
        return []
    now = hashes({name: data for name, data in materials.items() if name in begun})
    return [name for name in begun if now.get(name) != begun[name]]
