"""Rules about single phases."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from antemill.engine.rules.legality.facts import Facts
from antemill.engine.rules.legality.registry import (
    ACTORS,
    MAX_ODDS,
    PHASES,
    PRIZE_WORDS,
    performs,
    plain,
    quoted,
    repeated,
    rule,
)
from antemill.engine.rules.spec import (
    ActionRound,
    Auction,
    BettingLoop,
    DealBoard,
    Draw,
    InProgress,
    Observation,
    Phase,
    Showdown,
    SideBet,
    Simultaneous,
    Step,
)
from antemill.engine.rules.walk import NODE_FIELDS, PLAYER_FIELDS, Node, parts


@rule(*PHASES)
def phase_name_plain(_facts: Facts, _phase: Phase, node: Phase) -> str | None:
    """A phase's name fits into texts."""
    return None if plain(node.name) else "its name must be printable, in one line, without spaces around it."


@rule(*PHASES)
def no_dead_steps(facts: Facts, _phase: Phase, node: Phase) -> str | None:
    """Nothing follows a step that certainly ends the game."""
    if "end" in facts.traits and _dead_steps(facts, node):
        return "steps after the certain end of the game are never taken; remove them."
    return None


def _dead_steps(facts: Facts, holder: Struct) -> bool:
    """Whether a list of steps in the holder, or nested in it, goes on after a certain end."""
    lists = [value for field in NODE_FIELDS[type(holder)] if isinstance(value := getattr(holder, field), tuple)]
    ended = any(isinstance(item, Step) and facts.endings.node(item) for items in lists for item in items[:-1])
    return ended or any(_dead_steps(facts, item) for items in lists for item in items)


@rule(*ACTORS)
def winner_only_in_prize(_facts: Facts, phase: Phase, node: Node) -> str | None:
    """The words "winner" and "loser" occur only in an auction's prize."""
    named = [word for field in PLAYER_FIELDS[type(node)] if (word := getattr(node, field)) in PRIZE_WORDS]
    if not named or type(phase) is Auction:
        return None
    return f"'{named[0]}' exists only in the prize of an auction; name a seat or a position."


@rule(BettingLoop)
def counter_owned(facts: Facts, _phase: Phase, loop: BettingLoop) -> str | None:
    """A loop's counter is a declared variable of its own."""
    if loop.counter not in facts.variables:
        return f"its counter '{loop.counter}' is not among the game's variables; declare it."
    if facts.loops[loop.counter] is not loop:
        return f"its counter '{loop.counter}' also counts another loop; give each loop its own."
    return None


@rule(BettingLoop)
def rounds_are_betting(facts: Facts, _phase: Phase, loop: BettingLoop) -> str | None:
    """A loop plays betting rounds."""
    betting = {name for name, phase in facts.phases.items() if "betting" in phase.brings}
    wrong = [name for name in loop.rounds if name not in betting]
    return f"its rounds must be betting phases of this game, {quoted(wrong)} is not." if wrong else None


@rule(BettingLoop)
def loop_plays_all(facts: Facts, _phase: Phase, loop: BettingLoop) -> str | None:
    """A loop can reach all of its rounds and steps within its cap, and its threshold lets it start."""
    if loop.stop_at >= facts.spec.chips:
        return f"it never plays a round, since stop_at is not below the starting chips ({facts.spec.chips}); lower it."
    if len(loop.rounds) > loop.cap:
        return f"it names {len(loop.rounds)} rounds but plays at most {loop.cap}; raise cap or drop the last ones."
    if loop.cap == 1 and loop.between:
        return "the steps between rounds are never taken, since cap is 1; raise cap or remove them."
    return None


@rule(ActionRound)
def options_distinct(_facts: Facts, _phase: Phase, menu: ActionRound) -> str | None:
    """Options have different names, even if the case of letters is ignored."""
    return _names_fault([option.name for option in menu.options])


@rule(Simultaneous)
def choices_distinct(_facts: Facts, _phase: Phase, game: Simultaneous) -> str | None:
    """As `options_distinct`, for the options of each player."""
    return _names_fault(game.alice_options) or _names_fault(game.bob_options)


def _names_fault(names: Sequence[str]) -> str | None:
    if twice := repeated(name.casefold() for name in names):
        return f"several options are called {quoted(twice)}; rename them."
    odd = [name for name in names if not plain(name)]
    return (
        f"the option names {quoted(odd)} must be printable, in one line, without spaces around them." if odd else None
    )


@rule(ActionRound)
def always_an_option(_facts: Facts, _phase: Phase, menu: ActionRound) -> str | None:
    """A player without chips still has something to choose."""
    if all(option.cost is not None and option.cost.odds is None for option in menu.options):
        return "every option has a stated cost, so a player without chips has no choice; add an option without one."
    return None


@rule(ActionRound)
def costs_sensible(facts: Facts, _phase: Phase, menu: ActionRound) -> str | None:
    """The odds are proper odds, and some player could pay."""
    for option in menu.options:
        if option.cost is None:
            continue
        if option.cost.odds is not None and not 0 < option.cost.odds[0] < option.cost.odds[1] <= MAX_ODDS:
            return f"the odds of option '{option.name}' must be k in n with 0 < k < n <= {MAX_ODDS}."
        if option.cost.amount > facts.all_chips:
            amount, chips = option.cost.amount, facts.all_chips
            return f"no player can pay {amount} for option '{option.name}', as there are {chips} chips."
    return None


@rule(ActionRound)
def private_menu_performs_nothing(_facts: Facts, _phase: Phase, menu: ActionRound) -> str | None:
    """A private choice performs no phase: the start of a phase is public and would reveal the choice."""
    if not menu.public and any(performs(option.steps) for option in menu.options):
        return (
            "a private choice must not perform a phase, whose start everyone sees; make it public or inline the steps."
        )
    return None


@rule(Simultaneous)
def cells_sensible(_facts: Facts, _phase: Phase, game: Simultaneous) -> str | None:
    """Every cell is for a pair of existing options, one for each pair; `others` is for pairs without a cell."""
    pairs = {(cell.alice, cell.bob) for cell in game.cells}
    unknown = [f"{a}/{b}" for a, b in pairs if a not in game.alice_options or b not in game.bob_options]
    if unknown:
        return f"there are cells for {quoted(sorted(unknown))}, which the options do not allow; correct the names."
    if len(pairs) < len(game.cells):
        twice = repeated(f"{cell.alice}/{cell.bob}" for cell in game.cells)
        return f"there are several cells for {quoted(twice)}; keep one."
    if game.others and len(pairs) == len(game.alice_options) * len(game.bob_options):
        return "others can never happen, since every pair has a cell; remove it or a cell."
    return None


@rule(Auction)
def prize_sensible(_facts: Facts, _phase: Phase, auction: Auction) -> str | None:
    """The prize goes to the winner. A draw cannot be private, since the result of an auction is announced."""
    if auction.prize.player != "winner":
        return f"the prize must go to 'winner', not to '{auction.prize.player}'."
    if isinstance(auction.prize, Draw) and auction.prize.visibility == "private":
        return "the result is announced, so the prize cannot be a private draw; use occurrence or public."
    return None


@rule(Observation)
def signal_fits(_facts: Facts, _phase: Phase, node: Observation) -> str | None:
    """The signal of a card is its identity or suit; that of a hand is its top rank or size."""
    of_hand = node.signal in ("top-rank", "size")
    if of_hand != (node.subject == "opponent-hand"):
        fitting = "top-rank or size" if node.subject == "opponent-hand" else "card or suit"
        return f"the signal of subject {node.subject} must be {fitting}, not {node.signal}."
    return None


@rule(SideBet)
def wager_sensible(facts: Facts, _phase: Phase, bet: SideBet) -> str | None:
    """Some player can take the wager, and the wager can be lost."""
    if bet.amount > facts.all_chips:
        return f"no player can ever take a wager of {bet.amount}; there are {facts.all_chips} chips."
    if any(type(part) is InProgress for part in parts(bet.condition)):
        return "a wager must not be on the game being in progress, which is certain at the showdown."
    return None


@rule(Showdown)
def board_exists(facts: Facts, _phase: Phase, node: Showdown) -> str | None:
    """A showdown that reads the board needs a board."""
    return (
        "it reads the board, but nothing is dealt there; set board to false."
        if node.board and not facts.has(DealBoard)
        else None
    )
