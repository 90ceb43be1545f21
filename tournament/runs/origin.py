"""What a run began with, and whether it is still that: the digest of all of it, and a hash of each material."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

HASHES = "materials"  # in the table meta of run.sqlite


def hashes(materials: Mapping[str, bytes]) -> dict[str, str]:
    """SHA-256 of each material, by name, in the order of the names."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in sorted(materials.items())}


def altered(meta: Mapping[str, str], materials: Mapping[str, bytes]) -> list[str]:
    """The materials that are not what the run began with, or that are gone. None are known to be in older runs."""
    try:
        begun = msgspec.json.decode(meta.get(HASHES, "{}"), type=dict[str, str])
    except (ValueError, TypeError):
        return []
    now = hashes({name: data for name, data in materials.items() if name in begun})
    return [name for name in begun if now.get(name) != begun[name]]
