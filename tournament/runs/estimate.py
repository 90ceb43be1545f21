"""Estimates the cost of a run before anything is paid, and where its budget will stop it.

There are two figures. `dollars` is a guess: the shared prefix is read from the provider's cache at the cached price, if
the model's entry has one, and a model that thinks writes the tokens that `_THINKING` gives for its effort (medium if
none is set), or half of its thinking budget. `worst` is the cost if the most possible calls are made (`most`), every
reply has the greatest length, and each byte of a request is a token at the dearest price, as in a budget. If the
longest request is known (`Expected.longest`), all requests count as that long, and `worst` is a bound. Requests that
hold earlier replies of models have no greatest length: they count with their usual length, and `worst` is a guess too.
Attempts that break off after they were sent may be charged in addition: only a budget bounds those.

A call is sent only if the rest of the budget covers the most that it can cost (`reserved`, or `largest`). So a run
stops when less than that is left, and to finish, a run needs that much in addition to the cost of its calls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from antemill.llm import Message, Model, Request, price_text
from antemill.llm.client import body_of
from antemill.llm.estimate import BYTES_PER_TOKEN, estimate_cost, worst_cost

_BODY = 300  # bytes of a request's body beside its texts
_THINKING = {"none": 0, "minimal": 100, "low": 500, "medium": 1500, "high": 4000, "xhigh": 8000, "max": 12000}


class Expected(Struct, frozen=True):
    """The expected calls of a model.

    prefix: characters that are the same for many calls (a rulebook), which a provider's cache may serve; text: the
    characters of the other messages; reply: the characters of a reply. All per call, on average. most: the greatest
    number of calls; None if it is `calls`. longest: requests that include the largest possible one; empty if there is
    no greatest length. about: the game, if all calls are about one.
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
        """The greatest number of calls."""
        return self.calls if self.most is None else max(self.calls, self.most)


class Forecast(Struct, frozen=True):
    """The expected calls of a model, their greatest number `most`, and the sums of their tokens and dollars.

    bounded: whether `worst` is a bound, not a guess of one. priced: whether the model's entry has prices. reserved:
    dollars that the budget must cover for a call of usual length; largest: the same for the largest call. prices: in
    words, with source and date if they come from a package.
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
    """A game that does not fit a model: the tokens of rulebook and answer, guessed, and the model's context."""

    model: str
    about: str
    tokens: int
    context: int

    @property
    def sentence(self) -> str:
        """The sizes in words."""
        size = f"about {self.tokens:,} tokens with the answer, of a context of {self.context:,}"
        return f"{self.model} cannot play {self.about}: its rulebook has {size}."


class Stop(Struct, frozen=True):
    """What a budget pays for: the guessed share of the run, and the dollars for the whole run.

    needed: by the guess; safe: if every reply has the greatest length; bounded: whether `safe` is a bound.
    """

    dollars: float
    share: float
    needed: float
    safe: float
    bounded: bool


def stop(rows: Sequence[Forecast], dollars: float) -> Stop:
    """The share of the run that a budget pays for."""
    guess, worst = sum(row.dollars for row in rows), sum(row.worst for row in rows)
    reserved, largest = (max((getattr(row, name) for row in rows), default=0.0) for name in ("reserved", "largest"))
    left = dollars - reserved
    share = 1.0 if left >= guess else max(0.0, left / guess)
    bounded = all(row.bounded for row in rows)
    return Stop(dollars, share, _rounded_up(guess + reserved), _rounded_up(worst + largest), bounded)


def _rounded_up(dollars: float) -> float:
    """Round up to two digits: 452.3 becomes 460."""
    if dollars <= 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(dollars)) - 1)
    return round(math.ceil(dollars / step - 1e-9) * step, 9)


def forecast(expected: Sequence[Expected], models: Mapping[str, Model]) -> list[Forecast]:
    """The expected cost of each model, in the order of their first appearance."""
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
    """Bytes of the largest request; of a usual one if there is no greatest length."""
    sizes = (len(body_of(model, request)) for request in expected.longest)
    return max(sizes, default=_usual(expected))


_FILL = "The quick brown fox jumps over the lazy dog, and 7 of 12 cards are left in the deck. "
_OK = Message("user", "Answer with the word OK, as JSON if a form is asked for.")


def questions(models: Sequence[Model], expected: Sequence[Expected]) -> dict[str, Request]:
    """A question for each model, as long as its longest expected request and with its schema; else a short one."""
    found = {model.name: Request(messages=(_OK,)) for model in models}
    for one in expected:
        if one.model in found:
            given = one.longest or (Request(messages=(Message("user", "x" * (one.prefix + one.text)),)),)
            found[one.model] = max(found[one.model], *map(_filled, given), key=_size)
    return found


def _filled(request: Request) -> Request:
    """The request with ordinary words in place of its filler letters, which have fewer tokens than real text."""
    texts = [Message(message.role, _words(message.text)) for message in request.messages]
    last = Message(texts[-1].role, f"{texts[-1].text}\n\n{_OK.text}")
    return msgspec.structs.replace(request, messages=(*texts[:-1], last))


def _words(text: str) -> str:
    return (_FILL * (len(text) // len(_FILL) + 1))[: len(text)] if set(text) == {"x"} else text


def _size(request: Request) -> int:
    return sum(len(message.text) for message in request.messages)


def too_long(expected: Sequence[Expected], models: Mapping[str, Model]) -> list[TooLong]:
    """Games whose prompts are longer than the `context` of a model's entry, if a token has 3.5 characters."""
    games = [
        TooLong(one.model, one.about, _tokens(one.prefix) + models[one.model].max_output, window)
        for one in expected
        if one.about and (window := models[one.model].context) is not None
    ]
    return [game for game in games if game.tokens > game.context]


def _usual(expected: Expected) -> int:
    """Bytes of a request of usual length."""
    return expected.prefix + expected.text + _BODY


def _thinking(model: Model) -> int:
    """The thinking tokens of one reply, guessed."""
    if model.thinking_budget is not None:
        return model.thinking_budget // 2
    if model.effort is not None:
        return _THINKING.get(model.effort, _THINKING["medium"])
    return _THINKING["medium"] if model.thinks and model.thinking != "disabled" else 0


def _tokens(characters: int) -> int:
    return math.ceil(characters / BYTES_PER_TOKEN)
