"""What a game has at least: the decisions that are asked for whatever happens, for every hand (GENSTRAT section 4).

The paper's smallest game has about 20 information states. A draft with fewer is drawn anew: three cards and one betting
round, which is Kuhn poker, have 12.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.builder.states import classes, hands
from engine.rules.spec import (
    ActionRound,
    Auction,
    BettingLoop,
    Deal,
    FixedBetting,
    GameSpec,
    Perform,
    Phase,
    SideBet,
    Simultaneous,
    Steps,
    VariableBetting,
)

_BETTING: Final = 3  # ways through a betting round in which nobody folds: no bet, or a call of either player


def fewest(spec: GameSpec) -> int:
    """Information states of the phases that every play comes to, if nobody folds before.

    Conditionals count nothing, nor does what only some games have the chips for: raises, sizes of bets, side bets.
    """
    phases = {phase.name: phase for phase in spec.phases}
    different = classes(spec)
    dealt = min([hands(spec, different, _dealt(spec, seat)) for seat in ("alice", "bob")])
    found, histories = 0, 1
    for phase in _always(spec.sequence, phases):
        decisions, ways = _asked(phase)
        found += dealt * histories * decisions
        histories *= ways
    return found


def _dealt(spec: GameSpec, seat: str) -> int:
    """Cards that a seat is dealt in the first phase."""
    first = spec.phases[0]
    steps = first.steps if isinstance(first, Steps) else ()
    return sum([step.count for step in steps if isinstance(step, Deal) and step.player in (seat, "both")])


def _always(names: tuple[str, ...], phases: dict[str, Phase]) -> Iterator[Phase]:
    """The phases that are played without a condition, in their order; of a loop the first round."""
    for name in names:
        phase = phases[name]
        yield phase
        if isinstance(phase, Steps):
            yield from _always(tuple([step.phase for step in phase.steps if isinstance(step, Perform)]), phases)
        elif isinstance(phase, BettingLoop):
            yield from _always(phase.rounds[:1], phases)


def _asked(phase: Phase) -> tuple[int, int]:
    """Decisions with a hand, in different places of the tree, and the public histories that the phase can leave."""
    match phase:
        case FixedBetting():
            return 4, _BETTING
        case VariableBetting():
            return 6, _BETTING
        case ActionRound():
            free = max(1, sum([option.cost is None for option in phase.options]))
            ways = free if phase.public else 1
            return sum([ways**pick for pick in range(phase.picks)]), ways**phase.picks
        case Simultaneous():
            return 2, len(phase.alice_options) * len(phase.bob_options)
        case Auction():
            return 2, 4  # whoever bids nothing or a chip
        case SideBet():
            return 1, 1
        case _:
            return 0, 1
