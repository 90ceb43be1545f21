"""The suites of games that players are compared on, and their digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from antemill.engine.builder.starters import KNOWN

STARTER = "starter"
SUITES = {STARTER: tuple(KNOWN)}


def suite_digest(canonical: Iterable[str]) -> str:
    """32 hex digits that name a suite: of the canonical digests of its games, in any order."""
    return hashlib.blake2b("\n".join(sorted(canonical)).encode(), digest_size=16).hexdigest()
