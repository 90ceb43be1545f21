"""Our games inside other people's frameworks; each module needs an extra and is imported by whoever wants it.

openspiel    import tournament.adapters.openspiel; pyspiel.load_game("antemill(seed=7)")
pettingzoo   from tournament.adapters.pettingzoo import env; env("7@0.4")
gymnasium    from tournament.adapters import vector_env; vector_env("7@0.4", 256)
seating      who plays a seat that is not asked
"""

from typing import TYPE_CHECKING

from engine.facade import lazily

if TYPE_CHECKING:
    from tournament.adapters.gymnasium import vector_env

__all__ = ["vector_env"]

__getattr__, __dir__ = lazily(__name__)
