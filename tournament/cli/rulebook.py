"""`antemill game rulebook`: the rules in words, or the messages that a model gets."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.themes import words_of
from antemill.engine.errors import UsageError
from antemill.engine.match import Game, Match
from antemill.engine.match import prompt as prompts
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.labels import SEATS
from antemill.engine.text.rulebook import rulebook as rulebook_text
from antemill.engine.text.vocabulary import said
from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.arguments import Game as GameName
from antemill.tournament.cli.output import console, print_json

_Seat = Literal["alice", "bob"]
_Answer = Literal["action", "mix"]


def rulebook(
    name: GameName,
    *,
    prompt: Annotated[
        bool,
        Parameter(
            negative="",
            help="Print what a model is sent instead: the system prompt, and the message of a player's first decision.",
        ),
    ] = False,
    seat: Annotated[
        _Seat | None,
        Parameter(help="With --prompt: whose first decision; by default that of the player who acts first."),
    ] = None,
    play_seed: Annotated[
        int | None,
        Parameter(help="With --prompt: the seed of the cards, and of random choices before the decision. [default: 0]"),
    ] = None,
    paper: Annotated[
        bool | None, Parameter(negative="", help="With --prompt: the paper's prompts, as `paper = true` sends them.")
    ] = None,
    answer: Annotated[
        _Answer | None,
        Parameter(help="With --prompt: what a reply states, as the setting `answer` of a player. [default: action]"),
    ] = None,
    json: AsJson = False,
) -> None:
    """`game rulebook`: as Markdown, or formatted for a terminal; of a disguise in the words that its prompts have."""
    spec = resolve(name)
    if prompt:
        _print_messages(spec, seat, play_seed or 0, paper or False, answer == "mix", json)
        return
    if any(option is not None for option in (seat, play_seed, paper, answer)):
        raise UsageError("--seat, --play-seed, --paper and --answer need --prompt: give it too, or leave them out.")
    text = said(rulebook_text(spec), words_of(spec))
    if json:
        digest = compile_spec(spec).digest
        print_json({"game": spec.name, "digest": digest, "characters": len(text), "markdown": text})
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        console().print(Markdown(text))
    else:
        sys.stdout.write(text)


def _print_messages(spec: GameSpec, seat: _Seat | None, play_seed: int, paper: bool, mix: bool, json: bool) -> None:
    match = _first_decision(Game(spec), None if seat is None else ("alice", "bob").index(seat), play_seed)
    briefing = prompts.Briefing(mix=mix)
    texts = {
        "system": prompts.system(spec, paper, briefing),
        "user": prompts.turn(match, paper=paper, mix=mix),
    }
    if json:
        found = {"game": spec.name, "digest": match.game.digest, "seat": ("alice", "bob")[match.seat]}
        messages = [{"role": role, "content": text} for role, text in texts.items()]
        print_json(found | {"play_seed": play_seed, "messages": messages})
        return
    print(f"--- system\n\n{texts['system']}\n--- user: {SEATS[match.seat]}, play seed {play_seed}\n\n{texts['user']}")


def _first_decision(game: Game, seat: int | None, play_seed: int) -> Match:
    """A match at the first decision of a seat, or of either; what the other decides before is random."""
    if not 0 <= play_seed < 1 << 63:
        raise UsageError(f"the play seed {play_seed} is out of range: give a whole number from 0 to 2^63 - 1.")
    match = Match(game, play_seed)
    while not match.over and seat is not None and match.seat != seat:
        match.apply_random()
    if match.over:
        who = "a player" if seat is None else SEATS[seat]
        raise UsageError(f"{who} has nothing to decide with play seed {play_seed}: give another --play-seed or --seat.")
    return match
