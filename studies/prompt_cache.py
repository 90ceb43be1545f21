"""What one schema for all menus saves in providers' prompt caches: simulated, over the real requests of a tournament.

    python -m studies.prompt_cache                  the table of docs/models.md, from 25 generated games
    python -m studies.prompt_cache --write          put it between its markers there

A player that is a model meets another one in every game, 20 matches in each seat, and plays at random. Every request is
written for each protocol, once with the schema of the menu and once with the wide one, and read from the body that
would be sent. A cache knows exact beginnings of what a model reads, in the order that the provider documents:

    OpenAI      the schema, which is "a prefix to the system message"; then the messages. From 1,024 tokens on, in steps
                of 128. What is not read from the cache is written to it, at 1.25 times the price
    Anthropic   the system prompt up to its mark, known under the schema: another one finds no entry. From 1,024 tokens
                on (4,096 at some models). What is written costs 1.25 times the price
    Gemini      from 4,096 tokens on. Where the schema stands is not documented: both places

A token is 3.5 bytes. Entries never expire, which favours the menu's schemas: there are more of them to keep warm.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from antemill.engine.match import Match
from antemill.llm import Model, Request
from antemill.llm.client import body_of
from antemill.llm.entry import SchemaKind
from antemill.llm.estimate import BYTES_PER_TOKEN
from antemill.tournament.cards.config import TournamentTable
from antemill.tournament.cards.pinned_games import load_games, pin_games
from antemill.tournament.cards.seats import ModelSeat
from antemill.tournament.cards.slots import seatings
from benches.pages import write

DOCS = Path(__file__).parent.parent / "docs" / "models.md"
GAMES, MATCHES = 25, 20
_SCHEMA: dict[str, tuple[str, ...]] = {  # where a body has it
    "openai-chat": ("response_format", "json_schema", "schema"),
    "openai-responses": ("text", "format", "schema"),
    "anthropic": ("output_config", "format", "schema"),
    "gemini": ("generationConfig", "responseJsonSchema"),
}


class Rule(Struct, frozen=True):
    """How a provider caches.

    least: tokens. step: tokens, None if a beginning ends at the mark behind the system prompt. first: whether the
    schema is read before the system prompt, or last. read, write: prices of a token, in those of one that is neither
    read from the cache nor written to it.
    """

    name: str
    protocol: str
    least: int
    step: int | None
    first: bool
    read: float
    write: float


RULES = (
    Rule("OpenAI, chat completions", "openai-chat", 1024, 128, True, 0.05, 1.25),
    Rule("OpenAI, responses", "openai-responses", 1024, 128, True, 0.05, 1.25),
    Rule("Anthropic, from 1,024 tokens", "anthropic", 1024, None, True, 0.05, 1.25),
    Rule("Anthropic, from 4,096 tokens", "anthropic", 4096, None, True, 0.05, 1.25),
    Rule("Gemini, if the schema is read first", "gemini", 4096, 128, True, 0.1, 1.0),
    Rule("Gemini, if it is read last", "gemini", 4096, 128, False, 0.1, 1.0),
)


class Cache:
    """A provider's, and what went through it. Tokens; cost in tokens at the full price."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.tokens = self.cached = self.cost = 0.0
        self._known: set[bytes] = set()

    def ask(self, schema: bytes, system: bytes, turns: bytes) -> None:
        """One request."""
        rule = self.rule
        text = schema + system + turns if rule.first else system + turns + schema
        ends = self._ends(len(schema) + len(system), len(text))
        names = [hashlib.blake2b(text[:end], digest_size=16).digest() for end in ends]
        cached = max((end for end, name in zip(ends, names, strict=True) if name in self._known), default=0)
        self._known.update(names)
        written = max(ends, default=0) - cached
        plain = len(text) - cached - written
        self.tokens += len(text) / BYTES_PER_TOKEN
        self.cached += cached / BYTES_PER_TOKEN
        self.cost += (cached * rule.read + written * rule.write + plain) / BYTES_PER_TOKEN

    def _ends(self, marked: int, length: int) -> list[int]:
        """Bytes of the beginnings that can be cached."""
        least = int(self.rule.least * BYTES_PER_TOKEN)
        if self.rule.step is None:
            return [marked] if marked >= least else []
        return list(range(least, length + 1, int(self.rule.step * BYTES_PER_TOKEN)))


def requests(games: int, matches: int) -> Iterator[Request]:
    """Those of one model, in the order of a run."""
    names = TournamentTable(games=tuple(map(str, range(games))))
    for label, (pinned, game) in load_games(pin_games(names, Path())).items():
        seat = ModelSeat("model", game)
        for run in range(matches):
            for slot in seatings(label, run, "model", "other", pinned.seed):
                match = Match(game, slot.play_seed, (slot.alice, slot.bob))
                while not match.over:
                    if (slot.alice, slot.bob)[match.seat] == "model":
                        yield seat.request(match, slot.key)
                    match.apply_random()


def parts(model: Model, request: Request) -> tuple[bytes, bytes, bytes]:
    """Schema, system prompt and the rest, as the body has them."""
    body: Any = msgspec.json.decode(body_of(model, request))
    for key in _SCHEMA[model.protocol]:
        body = body[key]
    turns = "".join(turn.text for turn in request.turns)
    return msgspec.json.encode(body), request.system.encode(), turns.encode()


def measured(games: int, matches: int) -> Mapping[tuple[Rule, SchemaKind], Cache]:
    """What each cache has seen when all matches are over."""
    kinds: tuple[SchemaKind, ...] = ("menu", "wide")
    caches = {(rule, kind): Cache(rule) for rule in RULES for kind in kinds}
    models = {
        (protocol, kind): Model(name="m", protocol=protocol, structured=True, schema=kind)
        for protocol in _SCHEMA
        for kind in kinds
    }
    for request in requests(games, matches):
        read = {key: parts(model, request) for key, model in models.items()}
        for (rule, kind), cache in caches.items():
            cache.ask(*read[rule.protocol, kind])
    return caches


def table(caches: Mapping[tuple[Rule, SchemaKind], Cache]) -> str:
    """In Markdown."""
    lines = [
        "| | from the cache: `menu` | `wide` | cost of what is read: `menu` | `wide` | saved |",
        "|---|---|---|---|---|---|",
    ]
    for rule in RULES:
        menu, wide = caches[rule, "menu"], caches[rule, "wide"]
        shares = " | ".join(f"{cache.cached / cache.tokens:.1%}" for cache in (menu, wide))
        costs = " | ".join(f"{cache.cost / menu.tokens:.3f}" for cache in (menu, wide))
        lines.append(f"| {rule.name} | {shares} | {costs} | {1 - wide.cost / menu.cost:.1%} |")
    return "\n".join(lines)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--matches", type=int, default=MATCHES, help="in each seat")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = table(measured(options.games, options.matches))
    if options.write:
        write(DOCS, "prompt cache", text)
    print(text)


if __name__ == "__main__":
    main()
