"""Talking to language models: a thin layer over HTTP, without vendors' SDKs.

One module per wire protocol, the model list (`models.toml`), retries and limits, costs, a record of everything that is
sent and received, and fake models for the tests. It knows nothing of games and imports none of our other packages.

    models = read_models("models.toml")
    with CallStore("calls.sqlite") as store:
        async with Client(models, store, budget=Budget(5.0, store.spent())) as client:
            reply = await client.ask("sonnet", Request(messages=(Message("user", "Bet or check?"),)))
"""

from antemill.llm.activity import ModelState
from antemill.llm.check import Reach, advice_on, advice_text, ask_models, check_models, list_models
from antemill.llm.client import Client
from antemill.llm.entry import Prices
from antemill.llm.errors import (
    AgainError,
    BudgetExceededError,
    CallDroppedError,
    CallError,
    ItemError,
    LLMError,
    ModelFileError,
    StopError,
    StoreError,
    StoreLockedError,
)
from antemill.llm.limits import Backoff, Budget, Clock
from antemill.llm.model import Model
from antemill.llm.models import read_models
from antemill.llm.prices import dollar_digits, dollar_text, price_text
from antemill.llm.records import Attempt, Call, Totals, conversation
from antemill.llm.store import CallStore
from antemill.llm.types import Answer, Finish, Message, Reply, Request, Script, Usage

__all__ = [
    "AgainError",
    "Answer",
    "Attempt",
    "Backoff",
    "Budget",
    "BudgetExceededError",
    "Call",
    "CallDroppedError",
    "CallError",
    "CallStore",
    "Client",
    "Clock",
    "Finish",
    "ItemError",
    "LLMError",
    "Message",
    "Model",
    "ModelFileError",
    "ModelState",
    "Prices",
    "Reach",
    "Reply",
    "Request",
    "Script",
    "StopError",
    "StoreError",
    "StoreLockedError",
    "Totals",
    "Usage",
    "advice_on",
    "advice_text",
    "ask_models",
    "check_models",
    "conversation",
    "dollar_digits",
    "dollar_text",
    "list_models",
    "price_text",
    "read_models",
]
