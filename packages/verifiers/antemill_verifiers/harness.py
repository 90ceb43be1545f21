"""Requests to a model: one for each decision, with the rulebook and the decision at hand, as in tournaments.

Each message has the log of all events that the player observed, so no earlier message is repeated. In the trace each
decision is a separate branch.
"""

from __future__ import annotations

from typing import Any

import httpx2
import verifiers.v1 as vf


class AntemillHarnessConfig(vf.HarnessConfig):  # type: ignore[misc]
    """No settings."""


class AntemillHarness(vf.Harness[AntemillHarnessConfig]):  # type: ignore[misc]
    """Sends requests from this process; no code is executed."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(self, *given: Any) -> vf.ProgramResult:
        """Ask for one decision."""
        context, _, _, endpoint, secret, _, data = given
        system, prompt = self.resolve_prompt(data)
        asked = prompt if isinstance(prompt, str) else "\n\n".join(str(message.content) for message in prompt or [])
        messages = [{"role": "system", "content": system}, {"role": "user", "content": asked}]
        url, body = f"{endpoint}/chat/completions", {"model": context.model, "messages": messages}
        async with httpx2.AsyncClient(timeout=None) as client:  # the agent's own timeout is the limit
            reply = await client.post(url, json=body, headers={"Authorization": f"Bearer {secret}"})
        return vf.ProgramResult(0 if reply.is_success else 1, "", "" if reply.is_success else reply.text)

    async def resume(self, *given: Any) -> vf.ProgramResult:
        """Ask for the next decision, without those before it."""
        *before, data, messages, _ = given
        return await self.launch(*before, data.model_copy(update={"prompt": messages}))
