"""The tasks that Inspect finds by its entry point: `inspect eval antemill/cards`, `inspect eval antemill/duel`."""

from antemill.tournament.inspect_tasks.cards import cards
from antemill.tournament.inspect_tasks.duel import duel

__all__ = ["cards", "duel"]
