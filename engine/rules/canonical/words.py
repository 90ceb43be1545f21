"""A part of a canonical form in words, for the reader of a difference. `rounds` and `writing` make the texts of
forms."""

from __future__ import annotations

import re
from collections.abc import Callable

_PLAYERS = {
    **{"A": "player A", "B": "player B", "L": "the leader", "F": "the follower"},
    **{"W": "the winner", "Z": "the loser", "*": "each player", "P": "the pot"},
}
_SIGHT = {
    **{"seen": "seen by both", "public": "seen by both", "own": "seen by that player alone"},
    **{
        "occurrence": "seen by that player alone, and announced",
        "private": "seen by that player alone, and unannounced",
    },
}
_WHO, _NUMBER, _REST = r"([ABLFWZ*P])", r"(-?[\d/]+)", r"(.*)"


def _counted(number: str, noun: str) -> str:
    return f"{number} {noun}{'' if number == '1' else 's'}"


def _marked(text: str) -> str:
    """A text with words for its marks: `$v3` is a variable."""
    kinds = {"v": "variable", "s": "suit", "t": "text", "b": "side bet"}
    return re.sub(r"\$([a-z])(\d+)", lambda found: f"{kinds.get(found[1], 'mark')} {int(found[2]) + 1}", text)


def _bet(name: str) -> str:
    return _marked(name) if name.startswith("$") else f"number {int(name) + 1}"


def _deck(ranks: str, suits: str, told: str, added: str) -> str:
    apart = "that rules tell apart" if told == "True" else "that no rule tells apart"
    sums = f", whose ranks count as {added}" if added else ""
    return f"a deck of {_counted(ranks, 'rank')} and {_counted(suits, 'suit')} {apart}{sums}"


_CONDITIONS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"\bhigher ([ABLFWZ])", lambda found: f"{_PLAYERS[found[1]]} has the higher card"),
    (r"\brank ([ABLFWZ]) ([\d,]+)", lambda found: f"{_PLAYERS[found[1]]} holds the {_ranks(found[2])}"),
    (r"\bboard ([\d,]+)", lambda found: f"the board has the {_ranks(found[1])}"),
    (r"\bsuit ([ABLFWZ]) ", lambda found: f"{_PLAYERS[found[1]]} holds "),
    (r"\b(chips|hand) ([ABLFWZ])\b", lambda found: f"{found[1]} of {_PLAYERS[found[2]]}"),
    (r"\bnot ([^&()]*?) >= ", lambda found: f"{found[1]} below "),
    (">=", lambda _: "at least"),
    ("&", lambda _: " and "),
    (r"all\(\)", lambda _: "always"),
    (r"all\(", lambda _: "("),
)


def _ranks(places: str) -> str:
    """Ranks, counted from 1 from the lowest on. places: as in forms, which count from 0."""
    counted = ", ".join(str(int(place) + 1) for place in places.split(","))
    return f"rank{'s' * (',' in places)} {counted} from below"


def _condition(text: str) -> str:
    for pattern, words in _CONDITIONS:
        text = re.sub(pattern, words, text)
    return _marked(text)


def _what(at: str, sight: str) -> str:
    whose, part = at.split(" ")
    holder = {"opponent-card": "a card of the opponent", "deck-card": "the deck's next card"}
    return f"{holder.get(whose, 'the hand of the opponent')} ({part.replace('-', ' ')}; {_SIGHT[sight]})"


# The texts of `StepWriter.plain`, of phases and of branches, and their words. Groups of letters are players.
_ROWS: tuple[tuple[str, Callable[..., str]], ...] = (
    (r"(\d+) (\d+) (True|False) \((.*?),?\)", _deck),
    (r"(\d+)", lambda n: f"{_counted(n, 'unit')} of chips"),
    (_WHO, lambda who: who),
    (rf"pay {_WHO} {_NUMBER}", lambda who, n: f"{who} pays {n} to the pot"),
    (rf"deal {_WHO} {_NUMBER}", lambda who, n: f"{who} is dealt {_counted(n, 'card')}"),
    (rf"turn {_NUMBER}", lambda n: f"{_counted(n, 'card')} turned onto the board"),
    (rf"draw {_WHO} {_NUMBER} (\w+)", lambda who, n, sight: f"{who} draws {_counted(n, 'card')}, {_SIGHT[sight]}"),
    (
        rf"discard {_WHO} (\w+) (True|False)",
        lambda who, which, up: f"{who} discards a card ({which}), face {'up' if up == 'True' else 'down'}",
    ),
    (rf"move {_WHO} {_WHO} {_NUMBER}", lambda one, other, n: f"{_counted(n, 'unit')} of chips from {one} to {other}"),
    (rf"take {_WHO}", lambda who: f"{who} takes the pot"),
    (rf"score {_WHO} {_NUMBER}", lambda who, n: f"{who} scores {n}"),
    (rf"see {_WHO}", lambda who: f"{who} is shown the opponent's card"),
    (rf"look {_WHO} (\S+ \S+) (\w+)", lambda who, at, sight: f"{who} looks at {_what(at, sight)}"),
    (rf"peek {_WHO} (\w+)", lambda who, sight: f"{who} looks at a card of the opponent, {_SIGHT[sight]}"),
    (rf"swap {_WHO}", lambda who: f"{who} swaps a card with the opponent"),
    (rf"steal {_WHO}", lambda who: f"{who} takes a card of the opponent"),
    (rf"reveal {_WHO} (\w+)", lambda who, which: f"{who} shows cards ({which})"),
    (rf"end {_WHO}", lambda who: f"the game ends, {who} takes the pot"),
    (r"end ", lambda: "the game ends"),
    (r"shuffle .*", lambda: "a shuffle"),
    (r"say (\S+)", lambda text: f"an announcement, {_marked(text)}"),
    (rf"add (\S+) {_NUMBER}", lambda name, n: f"{_marked(name)} grows by {n}"),
    (
        rf"bet {_WHO} {_NUMBER} {_NUMBER}",
        lambda who, n, r: f"{who} opens a round of bets of {n} with {_counted(r, 'raise')}",
    ),
    (rf"bet {_WHO} up to {_NUMBER}", lambda who, n: f"{who} opens a round of bets of 1 to {n}"),
    (rf"act (open|secret) {_WHO} {_NUMBER}", lambda how, who, n: f"{who} takes {_counted(n, 'action')}, {how}ly"),
    (r"both ", lambda: "a simultaneous round"),
    (
        rf"auction {_NUMBER} {_REST}",
        lambda n, prize: f"an auction with bids of up to {n}; the prize: {in_words(prize)}",
    ),
    (
        rf"side bet (\S+) {_WHO} {_NUMBER} on {_REST}",
        lambda bet, who, n, on: f"{who} may make a side bet ({_bet(bet)}) of {n} on this: {_condition(on)}",
    ),
    (
        r"show (\w+) (True|False)",
        lambda metric, board: f"the showdown ({metric}{' with the board' * (board == 'True')})",
    ),
    (r"lead (\S+)", lambda by: f"the lead is given by {by.replace('-', ' ')}"),
    (r"compare", lambda: "players are told whose card is higher"),
    (
        r"loop (\S*) (\d+) (-?\d*)",
        lambda counter, cap, stop: (
            f"a loop of at most {_counted(cap, 'round')}"
            + f", until a player has {_counted(stop, 'unit')} of chips" * bool(stop)
            + f", counted by {_marked(counter)}" * bool(counter)
        ),
    ),
    (
        rf"if (plain|told|secret) {_REST}",
        lambda how, test: (
            f"a check of this{', told to both' * (how == 'told')}{', in secret' * (how == 'secret')}: "
            + _condition(test)
        ),
    ),
    (
        rf"cost {_NUMBER} {_NUMBER} ",
        lambda n, odds: f"an option that costs {n}" + f" with probability {odds}" * (odds != "1"),
    ),
)
_PATTERNS = [(re.compile(pattern, re.DOTALL), words) for pattern, words in _ROWS]


def in_words(part: str) -> str:
    """A part of a form that has no parts itself, in words. A part of a condition is written like a condition."""
    for pattern, words in _PATTERNS:
        if found := pattern.fullmatch(part):
            return words(*(_PLAYERS.get(each, each) for each in found.groups()))
    return _condition(part)
