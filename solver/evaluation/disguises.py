"""A saved policy in a game's disguise."""

from __future__ import annotations

from msgspec.structs import replace

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.disguise import Disguise
from antemill.solver.evaluation.transcripts import profile_on
from antemill.solver.policies.carried import carry
from antemill.solver.policies.on_tree import policy_of_tree
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree

LARGEST = 1_000_000  # nodes of a game's tree


def in_disguise(saved: SavedPolicy, disguise: Disguise, limit: int = LARGEST) -> SavedPolicy:
    """The same policy in the disguise, without an abstraction.

    saved: of `disguise.original`. limit: nodes of its tree at most. Value and exploitability are in chips of the
    disguise, the value Alice's there; what was sampled is left out. Raises UsageError for a larger tree.
    """
    old, new = compile_spec(disguise.original), compile_spec(disguise.game)
    profile = carry(disguise, profile_on(old, build_tree(old, limit), saved.table), limit)
    known = saved.solution
    sign = -1 if disguise.exchanged else 1
    tree = build_tree(new, limit)
    solution = replace(
        known,
        game=new.names.game,
        digest=new.digest,
        suited=new.suited,
        abstraction=Abstraction.NONE.label,
        target=known.target * disguise.scale,
        value=None if known.value is None else sign * disguise.scale * known.value,
        exploitability=None if known.exploitability is None else disguise.scale * known.exploitability,
        nodes=tree.nodes,
        information_sets=tree.sets[0].size + tree.sets[1].size,
        value_error=None,
        lower_bound=None,
        abstract_regret=None,
        abstract_sets=None,
    )
    return SavedPolicy(solution, policy_of_tree(tree.sets, Abstraction.NONE, profile))
