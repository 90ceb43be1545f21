"""Replies as tests need them."""

from __future__ import annotations

from antemill.llm import Finish, Reply, Usage


def said(text: str, schema: bool = False, finish: Finish = "stop", call: int = 0) -> Reply:
    """A reply with this text. schema: whether the request's schema was sent."""
    return Reply(
        text=text,
        finish=finish,
        schema=schema,
        usage=Usage(),
        seconds=0.0,
        attempts=1,
        stored=False,
        call=call,
        model="m",
        gateway="g",
    )
