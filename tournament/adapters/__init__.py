"""Our games in other frameworks, and OpenSpiel's games in ours; each framework's modules need its extra.

openspiel         import antemill.tournament.adapters.openspiel; pyspiel.load_game("antemill(seed=9)")
openspiel_games   OpenSpiel's games as trees for our solver
outside_games     games of Gambit's and OpenSpiel's by name, and policies for them in JSON
pettingzoo        from antemill.tournament.adapters.pettingzoo import env; env("7@0.1")
gymnasium         from antemill.tournament.adapters import vector_env; vector_env("starter-3", 256)
single            from antemill.tournament.adapters import env; env("kuhn", opponent="cfr")
registered        gymnasium.make("antemill/Kuhn-v0")
curriculum        from antemill.tournament.adapters import Curriculum; Curriculum("pool"): training games from a pool
sources           the games that a curriculum can draw; benchmarks are refused
trl               a match as TRL's GRPOTrainer plays it (for verifiers: packages/verifiers)
tasks             an endless series of matches for a language model to learn in
episode           one such match, with the prompts and the reading of tournaments
rewards           the reward of a match: payoff, AIVAT, regret
block             the lanes of one game in the vectorised environment
given             arguments of environments, checked
tree_observations a network's strategy profile on a game's tree
seating           the policy of a seat that is not asked
learned           models, profiles, policies and files as one form of policy, and its uses
"""

from typing import TYPE_CHECKING

from antemill.engine.facade import lazily

if TYPE_CHECKING:
    from antemill.tournament.adapters.curriculum import Curriculum, Drawn, Growth
    from antemill.tournament.adapters.gymnasium import vector_env
    from antemill.tournament.adapters.learned import as_player, as_policy, as_rows, exploitability, save
    from antemill.tournament.adapters.single import env, selfplay
    from antemill.tournament.adapters.sources import refuse_benchmark
    from antemill.tournament.adapters.tree_observations import TreeObservations, forgotten

__all__ = [
    "Curriculum",
    "Drawn",
    "Growth",
    "TreeObservations",
    "as_player",
    "as_policy",
    "as_rows",
    "env",
    "exploitability",
    "forgotten",
    "refuse_benchmark",
    "save",
    "selfplay",
    "vector_env",
]

__getattr__, __dir__ = lazily(__name__)
