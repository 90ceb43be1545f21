"""Play a game by reading its spec: control flow and phases.

The end of the game is an exception, which skips everything that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from antemill.engine.machine.events import EVERYONE, NOBODY, AuctionResult, Chance, ChipReason, EndReason, Event
from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    Announce,
    Ante,
    Auction,
    BettingLoop,
    Condition,
    Deal,
    DealBoard,
    Discard,
    Draw,
    EndGame,
    FixedBetting,
    GameSpec,
    If,
    NoAction,
    Observation,
    Option,
    Peek,
    Perform,
    Phase,
    Positions,
    Reveal,
    Score,
    Showdown,
    Shuffle,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Swap,
    TakePot,
    Transfer,
    VariableBetting,
)

from . import effects
from .conditions import count, first_conditionals, holds, reads_hidden, reads_suits, step_lists
from .questions import choose, lock
from .showdown import better_seat
from .state import POT, Chooser, Playout, Table, mask

FOLD, CALL, RAISE = 0, 1, 2
BET, CHECK = 0, 1
TAKE, PASS = 0, 1

PlaceBet = Callable[[int, str], int]  # (seat, name of the decision's phase) -> chips paid


class GameOverError(Exception):
    """The game has ended and the pot is awarded."""


def play(spec: GameSpec, chooser: Chooser) -> Playout:
    """Play one game to its end. Raises AssertionError if the table or an answer is ever unsound."""
    game = Interpreter(spec, chooser)
    try:
        for name in spec.sequence:
            game.enter(name)
        game.end(None, EndReason.ENDED)
    except GameOverError:
        pass
    table = game.table
    return Playout(
        events=table.events,
        decisions=table.decisions,
        payoff=table.stacks[0] - spec.chips + table.score,
        phases=table.phases,
        branches=table.branches,
        chips=(table.stacks[0], table.stacks[1]),
        score=table.score,
        hands=(tuple(table.hands[0]), tuple(table.hands[1])),
        board=tuple(table.board),
        deck=tuple(table.deck),
        discard=tuple(table.discard),
    )


_read: list[tuple[GameSpec, bool, dict[str, int]]] = []


def read_once(spec: GameSpec) -> tuple[bool, dict[str, int]]:
    """Whether suits matter, and the phases' first conditionals; remembered for the last spec, which is played often."""
    if not _read or _read[0][0] is not spec:
        _read[:] = [(spec, reads_suits(spec), first_conditionals(spec))]
    return _read[0][1], _read[0][2]


class Interpreter:
    """One game in play: the spec, the table, and the numbers of the conditionals."""

    def __init__(self, spec: GameSpec, chooser: Chooser) -> None:
        self.spec = spec
        suited, self.first = read_once(spec)
        self.table = Table(spec, chooser, suited)

    # ---------------------------------------------------------------------------------- control

    def enter(self, name: str) -> None:
        """Play the named phase."""
        self.table.phases.add(name)
        self.table.emit(Event.PHASE, x=name)
        self.play_phase(self.spec.phase(name))

    def end(self, winner: int | None, reason: EndReason) -> None:
        """Award the pot, or split it, and stop."""
        table = self.table
        table.emit(Event.RESULT, NOBODY if winner is None else winner, reason)
        if winner is not None:
            table.pay(POT, winner, table.pot, ChipReason.AWARD)
            raise GameOverError
        half = table.pot // 2
        table.pay(POT, 0, half, ChipReason.AWARD)
        table.pay(POT, 1, half, ChipReason.AWARD)
        if table.pot:
            table.pay(POT, table.chance(Chance.ODD_CHIP, NOBODY, 2), 1, ChipReason.ODD_CHIP)
        raise GameOverError

    def test(self, number: int, condition: Condition, public: bool) -> bool:
        """Evaluate conditional `number`, mark the branch, and announce the result if it is public."""
        if public and reads_hidden(condition):
            self.table.hidden_checks.add(number)
        return self.branch(number, holds(condition, self.table), public)

    def branch(self, number: int, result: bool, public: bool) -> bool:
        """Note that conditional `number` came out as `result`."""
        self.table.branches.add(2 * number + (0 if result else 1))
        if public:
            self.table.emit(Event.CHECK, x=number, y=int(result))
        return result

    def run_list(self, phase: Phase, index: int) -> None:
        """Run list number `index` of the phase's step lists."""
        lists = step_lists(phase)
        before = sum(count(steps) for steps in lists[:index])
        self.run(lists[index], self.first[phase.name] + before)

    def run(self, steps: Sequence[Step], number: int) -> None:
        """Run the steps; `number` is that of the first conditional among them."""
        for step in steps:
            if isinstance(step, If):
                if self.test(number, step.condition, step.public):
                    self.run(step.then, number + 1)
                else:
                    self.run(step.otherwise, number + 1 + count(step.then))
            else:
                self.run_step(step)
            number += count([step])

    def run_step(self, step: Step) -> None:
        """Run one step that is not an If."""
        table = self.table
        match step:
            case Shuffle(discard_pile=discard_pile):
                effects.shuffle(table, discard_pile)
            case Deal(count=cards, player=player):
                for seat in table.seats(player):
                    effects.deal(table, seat, cards)
            case DealBoard(count=cards):
                effects.deal_board(table, cards)
            case Draw(player=player, count=cards, visibility=visibility):
                for seat in table.seats(player):
                    effects.draw(table, seat, cards, visibility)
            case Discard(player=player, which=which, face_up=face_up):
                effects.discard(table, table.seat(player), which, face_up)
            case Ante(player=player, amount=amount):
                for seat in table.seats(player):
                    table.pay(seat, POT, amount, ChipReason.ANTE)
            case Transfer(source=source, target=target, amount=amount):
                table.pay(table.account(source), table.account(target), amount, ChipReason.TRANSFER)
            case TakePot(player=player):
                table.pay(POT, table.seat(player), table.pot, ChipReason.TAKE_POT)
            case Score(player=player, amount=amount):
                seat = table.seat(player)
                table.score += amount if seat == 0 else -amount
                table.emit(Event.SCORE, seat, amount)
            case Peek(player=player, visibility=visibility):
                effects.peek(table, table.seat(player), visibility)
            case Swap(player=player):
                effects.swap(table, table.seat(player))
            case Steal(player=player):
                effects.steal(table, table.seat(player))
            case Reveal(player=player, which=which_cards):
                effects.reveal(table, table.seat(player), which_cards)
            case Announce(text=text):
                table.emit(Event.ANNOUNCE, x=text)
            case AddToVariable(variable=variable, amount=amount):
                table.set_variable(variable, table.variables[variable] + amount)
            case Perform(phase=name):
                self.enter(name)
            case EndGame(winner=winner):
                self.end(None if winner is None else table.seat(winner), EndReason.ENDED)
            case NoAction():
                pass
            case If():
                raise AssertionError("run() handles If")
            case _:
                assert_never(step)

    def play_phase(self, phase: Phase) -> None:
        """Play the phase, which has just been announced."""
        match phase:
            case Steps():
                self.run_list(phase, 0)
            case FixedBetting():
                self.fixed_betting(phase.name, self.table.seat(phase.opener), phase.amount, phase.raises)
            case VariableBetting():
                self.variable_betting(phase)
            case BettingLoop():
                self.betting_loop(phase)
            case ActionRound():
                self.action_round(phase)
            case Simultaneous():
                self.simultaneous(phase)
            case Auction():
                self.auction(phase)
            case Observation():
                self.observation(phase)
            case Positions():
                self.positions(phase)
            case SideBet():
                self.side_bet(phase)
            case Showdown():
                self.showdown(phase)
            case _:
                assert_never(phase)

    # ---------------------------------------------------------------------------------- betting

    def fixed_betting(self, name: str, opener: int, amount: int, raises: int) -> None:
        """A round whose bets and raises have one size."""

        def place(seat: int, _: str) -> int:
            return self.table.pay(seat, POT, amount, ChipReason.BET)

        self.betting_round(name, opener, place, amount, raises)

    def variable_betting(self, phase: VariableBetting) -> None:
        """A round in which bettors choose the size, or its fixed fallback."""
        table = self.table
        opener = table.seat(phase.opener)

        def place(seat: int, decision_phase: str) -> int:
            most = table.stacks[seat] if phase.cap is None else min(phase.cap, table.stacks[seat])
            amounts = {amount: str(amount) for amount in range(1, most + 1)}
            amount = choose(table, seat, (decision_phase, "wager", "wager"), amounts)
            return table.pay(seat, POT, amount, ChipReason.BET)

        if self.branch(self.first[phase.name], min(table.stacks) > 0, public=True):
            self.betting_round(phase.name, opener, place, 0, 0)
        else:
            self.fixed_betting(f"{phase.name}, fallback", opener, phase.fallback, 0)

    def betting_round(self, name: str, opener: int, place: PlaceBet, amount: int, raises: int) -> None:
        """Bet or check, then fold or call; after a check the other may bet."""
        second, reply = 1 - opener, f"{name}: bet or check"
        if self.bets(opener, name):
            owed = place(opener, name)
            self.respond(second, name, f"{name}: fold or call", owed, amount, raises, 0)
        elif self.bets(second, reply):
            owed = place(second, reply)
            self.respond(opener, name, f"{name}: fold or call, responding", owed, amount, raises, 0)

    def bets(self, seat: int, decision_phase: str) -> bool:
        """Ask for bet or check."""
        offered = {BET: "bet", CHECK: "check"}
        if self.table.stacks[seat] == 0:
            del offered[BET]
        return choose(self.table, seat, (decision_phase, "choose", "bet/check"), offered) == BET

    def respond(
        self, seat: int, name: str, decision_phase: str, owed: int, amount: int, raises: int, made: int
    ) -> None:
        """The seat owes `owed` chips after `made` raises."""
        table, bettor = self.table, 1 - seat
        offered, move_name = {FOLD: "fold", CALL: "call"}, "fold/call"
        if made < raises:
            move_name = "fold/call/raise"
            if table.stacks[seat] > owed:
                offered[RAISE] = "raise"
        action = choose(table, seat, (decision_phase, "choose", move_name), offered)
        if action == FOLD:
            self.end(bettor, EndReason.FOLD)
        elif action == CALL:
            paid = table.pay(seat, POT, owed, ChipReason.CALL)
            if paid < owed:
                table.pay(POT, bettor, owed - paid, ChipReason.REFUND)
        else:
            paid = table.pay(seat, POT, owed + amount, ChipReason.RAISE)
            self.respond(bettor, name, f"{name}: raise {made + 1}", paid - owed, amount, raises, made + 1)

    def betting_loop(self, phase: BettingLoop) -> None:
        """Betting rounds until the cap or until a player is short of chips."""
        table = self.table
        table.set_variable(phase.counter, 0)
        played = 0
        while table.variables[phase.counter] < phase.cap and min(table.stacks) > phase.stop_at:
            if played > 0:
                self.run_list(phase, 0)
            self.enter(phase.rounds[min(table.variables[phase.counter], len(phase.rounds) - 1)])
            table.set_variable(phase.counter, table.variables[phase.counter] + 1)
            played += 1

    # ---------------------------------------------------------------------------------- other choices

    def action_round(self, phase: ActionRound) -> None:
        """The player picks from a menu, perhaps several times."""
        table = self.table
        kind = (phase.name, "choose", "/".join(option.name for option in phase.options))
        for _ in range(phase.picks):
            seat = table.seat(phase.player)
            told = EVERYONE if phase.public else 1 << seat
            offered = {
                index: option.name
                for index, option in enumerate(phase.options)
                if option.cost is None or option.cost.odds is not None or table.stacks[seat] >= option.cost.amount
            }
            action = choose(table, seat, kind, offered, told)
            if self.pay_cost(seat, phase.options[action], told):
                self.run_list(phase, action)

    def pay_cost(self, seat: int, option: Option, told: int) -> bool:
        """Pay what the option costs; False if the effect is skipped."""
        table, cost = self.table, option.cost
        if cost is None:
            return True
        if cost.odds is not None:
            due = table.chance(Chance.COST, seat, cost.odds[1]) < cost.odds[0]
            affordable = table.stacks[seat] >= cost.amount
            outcome = 0 if not due else 1 if affordable else 2
            table.emit(Event.COST, seat, outcome, told=told)
            if outcome != 1:
                return outcome == 0
        table.pay(seat, POT, cost.amount, ChipReason.COST)
        return True

    def simultaneous(self, phase: Simultaneous) -> None:
        """Two secret choices, then their cell."""
        table = self.table
        names = (phase.alice_options, phase.bob_options)
        kinds = [(phase.name, "simultaneous", "/".join(options)) for options in names]
        actions = [lock(table, seat, kinds[seat], dict(enumerate(names[seat]))) for seat in (0, 1)]
        for seat in (0, 1):
            table.emit(Event.REVEALED, seat, kinds[seat], actions[seat])
        pair = (names[0][actions[0]], names[1][actions[1]])
        for index, cell in enumerate(phase.cells):
            if (cell.alice, cell.bob) == pair:
                self.run_list(phase, index)
                return
        self.run_list(phase, len(phase.cells))

    def auction(self, phase: Auction) -> None:
        """Sealed bids for a prize."""
        table, kind = self.table, (phase.name, "bid", "bid")
        bids: list[int] = []
        for seat in (0, 1):
            offered = {amount: str(amount) for amount in range(min(phase.max_bid, 2 * self.spec.chips) + 1)}
            bids.append(lock(table, seat, kind, offered, at_most=table.stacks[seat]))
        for seat in (0, 1):
            table.emit(Event.REVEALED, seat, kind, bids[seat])
        if bids == [0, 0]:
            table.emit(Event.AUCTION, NOBODY, AuctionResult.NO_BIDS)
            return
        tie = bids[0] == bids[1]
        winner = table.chance(Chance.COIN, NOBODY, 2) if tie else bids.index(max(bids))
        if not (table.deck if isinstance(phase.prize, Draw) else table.hands[1 - winner]):
            table.emit(Event.AUCTION, winner, AuctionResult.CANCELLED, int(tie))
            return
        table.emit(Event.AUCTION, winner, AuctionResult.WON, int(tie))
        table.pay(winner, POT, bids[winner], ChipReason.BID)
        match phase.prize:
            case Draw(count=cards, visibility=visibility):
                effects.draw(table, winner, cards, visibility)
            case Peek(visibility=visibility):
                effects.peek(table, winner, visibility)
            case Steal():
                effects.steal(table, winner)

    # ---------------------------------------------------------------------------------- signals, positions, the end

    def observation(self, phase: Observation) -> None:
        """The viewer receives a signal."""
        if phase.trigger is not None and not self.test(self.first[phase.name], phase.trigger, phase.trigger_public):
            return
        table = self.table
        viewer = table.seat(phase.viewer)
        content = self.signal(phase, viewer)
        told, shown = effects.masks(phase.visibility, viewer)
        table.emit(Event.SIGNAL, viewer, phase.name, content=content, told=told, shown=shown)

    def signal(self, phase: Observation, viewer: int) -> int:
        """The number or card mask that the viewer sees."""
        table = self.table
        hand = table.hands[1 - viewer]
        if phase.subject == "opponent-hand":
            if phase.signal == "size":
                return len(hand)
            return table.top_rank(hand) if hand else 0
        pile = hand if phase.subject == "opponent-card" else table.deck
        if not pile:
            return 0
        card = pile[table.chance(Chance.OBSERVE, viewer, len(pile))]
        return mask([card]) if phase.signal == "card" else table.suit(card) + 1

    def positions(self, phase: Positions) -> None:
        """Assign the leader's position."""
        table = self.table
        leader = self.leader_by(phase.criterion)
        table.leader = table.chance(Chance.POSITION, NOBODY, 2) if leader is None else leader
        table.emit(Event.LEADER, table.leader, phase.name)

    def leader_by(self, criterion: str) -> int | None:
        """The seat that the criterion favours; None leaves it to a coin."""
        table = self.table
        if criterion == "random":
            return None
        if criterion == "alternate":
            return 1 - table.leader
        if criterion in ("most-chips", "fewest-chips"):
            alice, bob = [table.stacks[0]], [table.stacks[1]]
        else:  # the empty list of an empty hand is below every other
            alice, bob = ([table.top_rank(hand)] if hand else [] for hand in table.hands)
        if alice == bob:
            return None
        highest = 0 if alice > bob else 1
        return highest if criterion in ("most-chips", "higher-card") else 1 - highest

    def side_bet(self, phase: SideBet) -> None:
        """Offer a side bet; one that was taken before stays with its taker."""
        table = self.table
        seat = table.seat(phase.player)
        offered = {TAKE: "take", PASS: "pass"}
        if table.stacks[seat] < phase.amount:
            del offered[TAKE]
        if choose(table, seat, (phase.name, "choose", "take/pass"), offered) == TAKE:
            table.side_bets.setdefault(phase.name, seat)

    def showdown(self, phase: Showdown) -> None:
        """Show the hands, settle the side bets, award the pot."""
        table = self.table
        for seat in (0, 1):
            table.emit(Event.SHOW, seat, len(table.hands[seat]), content=mask(table.hands[seat]))
        for bet in self.spec.phases:
            if isinstance(bet, SideBet) and bet.name in table.side_bets:
                taker = table.side_bets[bet.name]
                won = holds(bet.condition, table)
                table.emit(Event.SIDE_BET, taker, bet.name, int(won))
                winner = taker if won else 1 - taker
                table.pay(1 - winner, winner, bet.amount, ChipReason.SIDE_BET)
        self.end(better_seat(table, phase.metric, phase.board), EndReason.SHOWDOWN)
