"""Our games inside other people's frameworks, and theirs in ours; a module is imported by whoever has its extra.

openspiel         import antemill.tournament.adapters.openspiel; pyspiel.load_game("antemill(seed=9)")
openspiel_lanes   from antemill.tournament.adapters import openspiel_env, openspiel_vector_env; openspiel_env("7@0.1")
openspiel_steps   the lanes behind these
openspiel_games   OpenSpiel's games as trees for our solver
pettingzoo        from antemill.tournament.adapters.pettingzoo import env; env("7@0.1")
gymnasium         from antemill.tournament.adapters import vector_env; vector_env("starter-3", 256)
curriculum        from antemill.tournament.adapters import Curriculum; Curriculum("pool"): games to learn on, of a pool
sources           which games a curriculum can draw; benchmarks are refused
trl               a match as TRL's GRPOTrainer plays it; packages/verifiers has it for verifiers
tasks             matches for a language model to learn in, without end
episode           one such match: asked and answered as in tournaments
rewards           what it was worth: payoff, AIVAT, regret
block             the lanes of one game in the vectorised environment
given             what callers of environments pass, read or refused
seating           who plays a seat that is not asked
"""

from typing import TYPE_CHECKING

from antemill.engine.facade import lazily

if TYPE_CHECKING:
    from antemill.tournament.adapters.curriculum import Curriculum, Drawn, Growth
    from antemill.tournament.adapters.gymnasium import vector_env
    from antemill.tournament.adapters.openspiel_lanes import openspiel_env, openspiel_vector_env
    from antemill.tournament.adapters.sources import refuse_benchmark

__all__ = ["Curriculum", "Drawn", "Growth", "openspiel_env", "openspiel_vector_env", "refuse_benchmark", "vector_env"]

__getattr__, __dir__ = lazily(__name__)
