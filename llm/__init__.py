"""Talking to language models: a thin layer over HTTP, without vendors' SDKs.

Here belong one module per wire protocol, the model list (`models.toml`), retries and rate limits, token and cost
accounting, a record of everything that is sent and received, and fake models for the tests. It knows nothing about
games: it imports none of our other packages.

    models = read_models("models.toml")
    with CallStore("calls.sqlite") as store:
        async with Client(models, store, budget=Budget(5.0, store.spent())) as client:
            reply = await client.ask("sonnet", Request(messages=(Message("user", "Bet or check?"),)))
"""

from llm.activity import ModelState, kind_of
from llm.budget import Budget
from llm.client import Client
from llm.clock import Clock, SystemClock
from llm.conversation import Conversation, conversation
from llm.entry import Prices
from llm.errors import (
    AuthenticationError,
    BadRequestError,
    BudgetExceededError,
    CallDroppedError,
    CallError,
    ContextLengthError,
    DisconnectedError,
    LLMError,
    MalformedReplyError,
    ModelFileError,
    PermanentError,
    RateLimitedError,
    ServerError,
    SpendLimitError,
    StoreError,
    StoreLockedError,
    TimedOutError,
    TransientError,
)
from llm.estimate import count_tokens, estimate_cost, request_tokens
from llm.model import Model
from llm.models import read_models
from llm.prices import dollar_digits, dollar_text, price_text, published_prices
from llm.reach import Reach, advice_on, advice_text, check_models
from llm.records import Attempt, Call, Totals
from llm.retry import Backoff
from llm.store import CallStore
from llm.types import Answer, Finish, Message, Reply, Request, Role, Script, Usage

__all__ = [
    "Answer",
    "Attempt",
    "AuthenticationError",
    "Backoff",
    "BadRequestError",
    "Budget",
    "BudgetExceededError",
    "Call",
    "CallDroppedError",
    "CallError",
    "CallStore",
    "Client",
    "Clock",
    "ContextLengthError",
    "Conversation",
    "DisconnectedError",
    "Finish",
    "LLMError",
    "MalformedReplyError",
    "Message",
    "Model",
    "ModelFileError",
    "ModelState",
    "PermanentError",
    "Prices",
    "RateLimitedError",
    "Reach",
    "Reply",
    "Request",
    "Role",
    "Script",
    "ServerError",
    "SpendLimitError",
    "StoreError",
    "StoreLockedError",
    "SystemClock",
    "TimedOutError",
    "Totals",
    "TransientError",
    "Usage",
    "advice_on",
    "advice_text",
    "check_models",
    "conversation",
    "count_tokens",
    "dollar_digits",
    "dollar_text",
    "estimate_cost",
    "kind_of",
    "price_text",
    "published_prices",
    "read_models",
    "request_tokens",
]
