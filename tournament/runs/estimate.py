"""What a run will cost, before it costs anything, and where its budget will stop it.

Two figures. `dollars` is a guess: the shared prefix is read from the provider's cache at the price for that, if the
model's entry has one, and a model that thinks writes as many tokens as `_THINKING` says for its effort (medium if none
is asked for), or half of its thinking budget. `worst` is what the calls cost if as many are made as can be (`most`),
every reply is as long as it may be, and each byte of a request is a token at the dearest price, as in a budget. Where
the longest request is known (`Expected.longest`), every one is taken to be that long, and `worst` is a bound. Where
requests hold what models have said, there is no longest one: they are taken as long as usual, and `worst` is a guess
too.
Attempts that break off after they were sent may be charged beside that: only a budget bounds those.

A call is sent only if the budget has room for the most that it can cost (`reserved`, or `largest`). So a run stops
when less than that is left, and one that is to end needs that much beyond what its calls cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from antemill.llm import Message, Model, Reach, Request, price_text
from antemill.llm.client import body_of
from antemill.llm.estimate import BYTES_PER_TOKEN, estimate_cost, worst_cost

_BODY = 300  # bytes of a request's body beside its texts
_THINKING = {"none": 0, "minimal": 100, "low": 500, "medium": 1500, "high": 4000, "xhigh": 8000, "max": 12000}


class Expected(Struct, frozen=True):
    """Calls of a model to expect.

    prefix: characters that are the same for many calls (a rulebook), which a provider's cache may serve; text: the
    characters of the other messages; reply: the characters of a reply. All per call, on average. most: calls at most;
    None if no more than `calls` are possible. longest: requests of which one is the largest that is possible; none if
    there is no such. about: the game, if all of them are about one.
    """

    model: str
    calls: int
    prefix: int
    text: int
    reply: int = 20
    most: int | None = None
    longest: tuple[Request, ...] = ()
    about: str = ""

    @property
    def at_most(self) -> int:
        """How many calls there are at most."""
        return self.calls if self.most is None else max(self.calls, self.most)


class Forecast(Struct, frozen=True):
    """The calls of a model, `most` at most, and their tokens and dollars in all.

    bounded: whether `worst` is a bound; else it is a guess of one. priced: whether the model's entry has prices.
    reserved: dollars that a call of usual length needs in the budget; largest: and the largest one. prices: in words,
    with their source and date if they are a package's.
    """

    model: str
    calls: int
    most: int
    input_tokens: int
    output_tokens: int
    dollars: float
    worst: float
    bounded: bool
    priced: bool
    reserved: float
    largest: float
    prices: str = ""


class TooLong(Struct, frozen=True):
    """What can not fit: a game whose rulebook and answer have about so many tokens, of so many that a model takes."""

    model: str
    about: str
    tokens: int
    context: int

    @property
    def sentence(self) -> str:
        """The same in words."""
        size = f"about {self.tokens:,} tokens with the answer, of a context of {self.context:,}"
        return f"{self.model} can not play {self.about}: its rulebook has {size}."


class Stop(Struct, frozen=True):
    """What a budget of so many dollars is good for: the share of the run, by the guess, and the dollars for all of it.

    needed: by the guess; safe: if every reply is as long as it may be; bounded: whether that is a bound.
    """

    dollars: float
    share: float
    needed: float
    safe: float
    bounded: bool


def stop(rows: Sequence[Forecast], dollars: float) -> Stop:
    """Where a budget ends the run."""
    guess, worst = sum(row.dollars for row in rows), sum(row.worst for row in rows)
    reserved, largest = (max((getattr(row, name) for row in rows), default=0.0) for name in ("reserved", "largest"))
    room = dollars - reserved
    share = 1.0 if room >= guess else max(0.0, room / guess)
    bounded = all(row.bounded for row in rows)
    return Stop(dollars, share, _rounded_up(guess + reserved), _rounded_up(worst + largest), bounded)


def _rounded_up(dollars: float) -> float:
    """To two digits: 452.3 is 460."""
    if dollars <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(dollars)) - 1)
    return round(math.ceil(dollars / step - 1e-9) * step, 9)


def forecast(expected: Sequence[Expected], models: Mapping[str, Model]) -> list[Forecast]:
    """What is expected, by model in the order of their first appearance."""
    names = dict.fromkeys(one.model for one in expected)
    return [_forecast(models[name], [one for one in expected if one.model == name]) for name in names]


def _forecast(model: Model, expected: Sequence[Expected]) -> Forecast:
    calls = sum(one.calls for one in expected)
    prefix = sum(one.calls * _tokens(one.prefix) for one in expected)
    text = sum(one.calls * _tokens(one.text) for one in expected)
    written = sum(one.calls * min(_tokens(one.reply) + _thinking(model), model.max_output) for one in expected)
    dollars = estimate_cost(model, prefix + text, written)
    if model.prices is not None and model.prices.cached_input is not None:
        dollars -= prefix * (model.prices.input - model.prices.cached_input) / 1e6
    usual = [worst_cost(model, _usual(one), model.max_output) for one in expected if one.calls]
    longest = [(one.at_most, worst_cost(model, _longest(model, one), model.max_output)) for one in expected]
    return Forecast(
        model=model.name,
        calls=calls,
        most=sum(count for count, _ in longest),
        input_tokens=prefix + text,
        output_tokens=written,
        dollars=dollars,
        worst=sum(count * cost for count, cost in longest),
        bounded=all(one.longest for one in expected),
        priced=model.prices is not None,
        reserved=max(usual, default=0.0),
        largest=max((cost for count, cost in longest if count), default=0.0),
        prices=price_text(model.prices),
    )


def _longest(model: Model, expected: Expected) -> int:
    """Bytes of the largest request; as many as usual, if there is no largest."""
    sizes = (len(body_of(model, request)) for request in expected.longest)
    return max(sizes, default=_usual(expected))


_FILL = "The quick brown fox jumps over the lazy dog, and 7 of 12 cards are left in the deck. "
_OK = Message("user", "Answer with the word OK, as JSON if a form is asked for.")


def questions(models: Sequence[Model], expected: Sequence[Expected]) -> dict[str, Request]:
    """A question for each model that is as long as the longest that is expected, with its schema; else a short one."""
    found = {model.name: Request(messages=(_OK,)) for model in models}
    for one in expected:
        if one.model in found:
            given = one.longest or (Request(messages=(Message("user", "x" * (one.prefix + one.text)),)),)
            found[one.model] = max(found[one.model], *map(_filled, given), key=_size)
    return found


def _filled(request: Request) -> Request:
    """The request with words in place of the letters that stand for them, which are fewer tokens than any prompt."""
    texts = [Message(message.role, _words(message.text)) for message in request.messages]
    last = Message(texts[-1].role, f"{texts[-1].text}\n\n{_OK.text}")
    return msgspec.structs.replace(request, messages=(*texts[:-1], last))


def _words(text: str) -> str:
    return (_FILL * (len(text) // len(_FILL) + 1))[: len(text)] if set(text) == {"x"} else text


def _size(request: Request) -> int:
    return sum(len(message.text) for message in request.messages)


def too_long(expected: Sequence[Expected], models: Mapping[str, Model], found: Sequence[Reach] = ()) -> list[TooLong]:
    """Prompts that begin with more than a model takes; a token is taken to be 3.5 characters.

    What a model takes is the `context` of its entry, else what its server lists. found: what the servers said.
    """
    listed = {one.name: one.context for one in found}
    games = [
        TooLong(one.model, one.about, _tokens(one.prefix) + models[one.model].max_output, window)
        for one in expected
        if one.about and (window := models[one.model].context or listed.get(one.model)) is not None
    ]
    return [game for game in games if game.tokens > game.context]


def _usual(expected: Expected) -> int:
    """Bytes of a request of usual length."""
    return expected.prefix + expected.text + _BODY


def _thinking(model: Model) -> int:
    """Tokens that a model is guessed to think for one reply."""
    if model.thinking_budget is not None:
        return model.thinking_budget // 2
    if model.effort is not None:
        return _THINKING.get(model.effort, _THINKING["medium"])
    return _THINKING["medium"] if model.thinks and model.thinking != "disabled" else 0


def _tokens(characters: int) -> int:
    return math.ceil(characters / BYTES_PER_TOKEN)
