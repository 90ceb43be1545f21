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

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,  # noqa: ARG002
        runtime: vf.Runtime,  # noqa: ARG002
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],  # noqa: ARG002
        data: vf.TaskData,
        tool_interception_url: str | None = None,  # noqa: ARG002
    ) -> vf.ProgramResult:
        """Ask for one decision."""
        system, prompt = self.resolve_prompt(data)
        asked = prompt if isinstance(prompt, str) else "\n\n".join(str(message.content) for message in prompt or [])
        messages = [{"role": "system", "content": system}, {"role": "user", "content": asked}]
        body: dict[str, Any] = {"model": ctx.model, "messages": messages}
        async with httpx2.AsyncClient(timeout=None) as client:  # the agent's own timeout is the limit
            reply = await client.post(
                f"{endpoint}/chat/completions", json=body, headers={"Authorization": f"Bearer {secret}"}
            )
        return vf.ProgramResult(0 if reply.is_success else 1, "", "" if reply.is_success else reply.text)

    async def resume(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        messages: vf.Messages,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Ask for the next decision, without those before it."""
        now = data.model_copy(update={"prompt": messages})
        return await self.launch(ctx, trace, runtime, endpoint, secret, mcp_urls, now, tool_interception_url)
