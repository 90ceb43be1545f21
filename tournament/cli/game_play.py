"""The command `antemill game play`."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

from cyclopts import Parameter

from antemill.engine.builder.resolve import resolve
from antemill.engine.errors import UsageError
from antemill.engine.match import DecisionRecord, Game, Match, Result, Transcript
from antemill.engine.text.describe import entry
from antemill.engine.text.labels import SEATS
from antemill.engine.text.verdict import judged, rejection
from antemill.engine.text.vocabulary import legend
from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.arguments import Game as GameName
from antemill.tournament.cli.output import console, number, print_json, print_table, remark, say
from antemill.tournament.players import Player, make_bot, make_bots
from antemill.tournament.players import play as play_match
from antemill.tournament.players.human import Human, QuitError
from antemill.tournament.players.registry import CFR, require_player

_MAX_SEED = 1 << 63
_WHO = (
    "human, random, passive, aggressive, l1, mixed, cfr, best (response to the other seat), best:NAME (to that bot), "
    "or a saved policy's path"
)


def play(
    game: GameName,
    *,
    alice: Annotated[str, Parameter(help=f"Who plays Alice: {_WHO}.")] = "human",
    bob: Annotated[str, Parameter(help=f"Who plays Bob: {_WHO}.")] = "l1",
    play_seed: int = 0,
    matches: int = 1,
    json: AsJson = False,
) -> None:
    """Play at the terminal against L1 or a solver; or let bots play.

    L1 is the best response to random play.

        antemill game play kuhn
        antemill game play appendix-b --alice l1 --bob human --play-seed 3
        antemill game play starter-2 --alice random --bob aggressive --matches 1000 --json

    Args:
        play_seed: The seed of the cards; match number i of several has this plus i.
        matches: How many matches.
    """
    if matches < 1:
        raise UsageError(f"--matches is {matches}: give a number of at least 1.")
    if not 0 <= play_seed <= _MAX_SEED - matches:
        raise UsageError(f"the play seed {play_seed} is out of range: give a whole number from 0 to 2^63 - {matches}.")
    for who in (alice, bob):
        require_player(who, "human")
    people = (alice, bob).count("human")
    if people and json:
        raise UsageError("a person cannot play with --json: leave it out, or let two bots play.")
    if people:
        _play_people(game, (alice, bob), play_seed, matches)
    else:
        made = Game(resolve(game))
        remark(rejection(game, judged(game, made.program)))
        remark(_long_preparation(made, (alice, bob)))
        _play_bots(made, (alice, bob), play_seed, matches, json)


# ---------------------------------------------------------------------------------------------- people


def _play_people(name: str, names: tuple[str, str], play_seed: int, matches: int) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an old terminal shows a question mark instead of failing
    human = Human(console(), _asker(), shared=names == ("human", "human"))
    waiting = "Getting ready (a new version compiles its engine once, which takes a minute)"
    with console().status(waiting, spinner="line"):
        game = Game(resolve(name))
        remark(_long_preparation(game, names))
        players: list[Player] = [human if name == "human" else make_bot(name, game) for name in names]
        stand_ins = [make_bot("random", game) if player is human else player for player in players]
        play_match(Match(game, play_seed), stand_ins[0], stand_ins[1])  # compiles what is left
        rejected = rejection(name, judged(name, game.program))
    remark(rejected)
    total = 0
    try:
        for i in range(matches):
            human.title = f"{game.names.game}, match {i + 1} of {matches}, play seed {play_seed + i}"
            match = Match(game, play_seed + i, names)
            total += play_match(match, players[0], players[1]).payoffs[0]
            human.finish(match)
            if matches > 1:
                say(f"Alice has won {total:+d} chips so far.")
            if i + 1 < matches:
                human.go_on()
    except QuitError:
        say("\nYou have left the table.")


def _long_preparation(game: Game, names: tuple[str, str]) -> str:
    """What a player of `cfr` is told before a large game is solved."""
    if not any(name.split(":")[-1] == CFR for name in names):
        return ""
    from antemill.tournament.players.solver_players import LIMIT, SAMPLED_ITERATIONS, fits_a_tree

    if fits_a_tree(game):
        return ""
    return (
        f"{game.names.game} has more than {LIMIT:,} nodes: before it plays, cfr samples an abstraction of it "
        f"{SAMPLED_ITERATIONS:,} times, which takes minutes. A policy that `antemill solve` saves needs no time."
    )


def _asker() -> Callable[[str], str]:
    with suppress(ImportError):
        import readline  # noqa: F401  (line editing in input())
    return input


# ---------------------------------------------------------------------------------------------- bots


def _play_bots(game: Game, names: tuple[str, str], play_seed: int, matches: int, as_json: bool) -> None:
    alice, bob = make_bots(names, game)
    log = matches == 1
    played = [Match(game, play_seed + i, names, log=log) for i in range(matches)]
    results = [play_match(match, alice, bob) for match in played]
    transcript = played[0].transcript() if matches == 1 else None
    if as_json:
        _print_document(game, names, play_seed, results, transcript)
        return
    following = " and the following" if matches > 1 else ""
    print(f"{game.names.game}: Alice is {names[0]}, Bob is {names[1]}, play seed {play_seed}{following}\n")
    if transcript is not None:
        if game.words:
            print(f"{legend(game.words)}\n")
        print("\n".join(transcript_lines(game, transcript)))
        print(f"payoff: Alice {results[0].payoffs[0]:+d}, Bob {results[0].payoffs[1]:+d}")
    else:
        _print_summary(names, results)


def transcript_lines(game: Game, transcript: Transcript) -> list[str]:
    """A transcript as lines: who saw the event, and what happened; "?" marks a decision."""
    lines = []
    for item in transcript.entries:
        if isinstance(item, DecisionRecord):
            menu = ", ".join(item.options) or f"{item.low} to {item.high}"
            lines.append(f"?     {SEATS[item.seat]}, {item.phase}: {menu} -> {item.choice}")
        else:
            lines.append(str(entry(game.wording, item.row)))
    return lines


def _print_document(
    game: Game, names: tuple[str, str], play_seed: int, results: list[Result], transcript: Transcript | None
) -> None:
    rows = [
        {
            "play_seed": play_seed + i,
            "payoff": _by_seat(result.payoffs),
            "moves": _by_seat(result.moves),
            "substitutions": _by_seat(result.substitutions),
        }
        for i, result in enumerate(results)
    ]
    total = sum(result.payoffs[0] for result in results)
    document: dict[str, object] = {
        "game": game.names.game,
        "digest": game.digest,
        "players": _by_seat(names),
        "total": _by_seat((total, -total)),
        "matches": rows,
    }
    if transcript is not None:
        document["transcript"] = transcript
    print_json(document)


def _by_seat(pair: tuple[object, object]) -> dict[str, object]:
    return {"alice": pair[0], "bob": pair[1]}


def _print_summary(names: tuple[str, str], results: list[Result]) -> None:
    n = len(results)
    rows = []
    for seat in (0, 1):
        won = [result.payoffs[seat] for result in results]
        mean = sum(won) / n
        error = math.sqrt(sum((x - mean) ** 2 for x in won) / (n - 1) / n)
        moves = sum(result.moves[seat] for result in results) / n
        wins = sum(x > 0 for x in won)
        rows.append(
            (f"{SEATS[seat]} ({names[seat]})", f"{sum(won):+d}", f"{mean:+.3f}", f"{error:.3f}", wins, number(moves))
        )
    header = ("player", "chips won", "per match", "standard error", "matches won", "moves per match")
    print_table(f"{n:,} matches", header, rows)
