"""Estimates the cost of a run before anything is paid, and where its budget will stop it.

`dollars` is what is expected: the shared prefix is read from the provider's cache at the cached price, if the model's
entry has one, and a model that thinks writes the tokens that `_THINKING` gives for its effort (medium if none is set),
or half of its thinking budget. `low` and `high` are its spread: two standard deviations fewer or more calls, and
replies half or twice as long. Neither is a bound: what bounds a run is its budget.

A call is sent only if the rest of the budget covers the most that it can cost (`reserved`). So a run stops when less
than that is left, and to finish, a run needs that much in addition to the cost of its calls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from antemill.llm import Message, Model, Request, price_text
from antemill.llm.estimate import BYTES_PER_TOKEN, estimate_cost, worst_cost

_BODY = 300  # bytes of a request's body beside its texts
_THINKING = {"none": 0, "minimal": 100, "low": 500, "medium": 1500, "high": 4000, "xhigh": 8000, "max": 12000}


class Expected(Struct, frozen=True):
    """The expected calls of a model.

    prefix: characters that are the same for many calls (a rulebook), which a provider's cache may serve; text: the
    characters of the other messages; reply: the characters of a reply. All per call, on average. spread: the standard
    deviation of the number of calls. about: the game, if all calls are about one. schema: that the calls are sent with.
    """

    model: str
    calls: int
    prefix: int
    text: int
    reply: int = 20
    spread: float = 0.0
    about: str = ""
    schema: dict[str, object] | None = None


class Forecast(Struct, frozen=True):
    """The expected calls of a model, and the sums of their tokens and dollars, with the spread of the latter.

    priced: whether the model's entry has prices. reserved: dollars that the budget must cover for a call of usual
    length. prices: in words, with source and date if they come from a package.
    """

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float
    low: float
    high: float
    priced: bool
    reserved: float
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
    """What a budget pays for: the expected share of the run, and the dollars that the whole run needs."""

    dollars: float
    share: float
    needed: float


def stop(rows: Sequence[Forecast], dollars: float) -> Stop:
    """The share of the run that a budget pays for."""
    whole, reserved = sum(row.dollars for row in rows), max((row.reserved for row in rows), default=0.0)
    left = dollars - reserved
    share = 1.0 if left >= whole else max(0.0, left / whole)
    return Stop(dollars, share, _rounded_up(whole + reserved))


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
    cached = 0.0
    if model.prices is not None and model.prices.cached_input is not None:
        cached = prefix * (model.prices.input - model.prices.cached_input) / 1e6

    def written(longer: float) -> int:
        size = (one.calls * min(longer * (_tokens(one.reply) + _thinking(model)), model.max_output) for one in expected)
        return round(sum(size))

    def cost(longer: float, more: float) -> float:
        return max(0.0, (estimate_cost(model, prefix + text, written(longer)) - cached) * (1.0 + more))

    spread = 2.0 * math.hypot(*(one.spread for one in expected)) / max(1, calls)
    return Forecast(
        model=model.name,
        calls=calls,
        input_tokens=prefix + text,
        output_tokens=written(1.0),
        dollars=cost(1.0, 0.0),
        low=cost(0.5, -min(1.0, spread)),
        high=cost(2.0, spread),
        priced=model.prices is not None,
        reserved=max((worst_cost(model, _usual(one), model.max_output) for one in expected if one.calls), default=0.0),
        prices=price_text(model.prices),
    )


_FILL = "The quick brown fox jumps over the lazy dog, and 7 of 12 cards are left in the deck. "
_OK = Message("user", "Answer with the word OK, as JSON if a form is asked for.")


def questions(models: Sequence[Model], expected: Sequence[Expected]) -> dict[str, Request]:
    """A question for each model, as long as its longest usual request and with its schema; else a short one.

    It has ordinary words, since letters that are repeated have fewer tokens.
    """
    found = {model.name: Request(messages=(_OK,)) for model in models}
    for one in sorted(expected, key=_usual):
        if one.model in found:
            text = _words(one.prefix + one.text)
            found[one.model] = Request(messages=(Message("user", f"{text}\n\n{_OK.text}"),), schema=one.schema)
    return found


def _words(size: int) -> str:
    return (_FILL * (size // len(_FILL) + 1))[:size]


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
