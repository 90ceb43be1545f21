"""Runs as logs of Inspect, for its viewer and its data frames (the extra `inspect`).

A sample is a finished item. Its events follow the item's play: a model event for every reply, with the messages as
they were sent, its tokens and its dollars, and between them the lines that `show` prints. Its messages are those of
all calls in that order, without repeating those that the same player was sent before. Its scores are the item's
figures. Logs mark their content as not trusted, so that the viewer shows it as plain text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field

from antemill.engine.errors import UsageError
from antemill.engine.storage.files import atomic_path
from antemill.llm import Call, Message, conversation
from antemill.tournament.runs.browse import Filter, OpenRun
from antemill.tournament.runs.items import Decision, Entry, Event

if TYPE_CHECKING:
    from inspect_ai.event import Event as LogEvent
    from inspect_ai.log import EvalLog, EvalSample, EvalScore
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput, ModelUsage

FORMATS = {".eval": "eval", ".json": "json"}  # by the end of the file's name
_MANY = "none/none"  # Inspect's name for the model of a log without one, or with several
_STOPS = {"stop": "stop", "length": "max_tokens", "refusal": "content_filter"}


class Log(Struct, frozen=True):
    """A log's header. name: the run's; finished: whether all items of the run are finished."""

    kind: str
    name: str
    finished: bool


def write_log(run: OpenRun, wanted: Filter, log: Log, path: Path, report: Callable[[int], None]) -> tuple[int, int]:
    """Write the selected finished items. Returns the numbers of samples and of models' calls in them.

    report: is called with the number of samples so far. Raises UsageError for another file name than a log's, without
    the extra, or if there is nothing to write.
    """
    if path.suffix not in FORMATS:
        raise UsageError(f"a log of Inspect ends in {' or '.join(FORMATS)}: name such a file with -o.")
    try:
        from inspect_ai.log import write_eval_log
    except ModuleNotFoundError as error:
        raise UsageError("logs of Inspect need inspect-ai: install antemill[inspect].") from error

    samples = []
    for entry, events in run.finished(wanted):
        samples.append(_Telling(entry, run.calls.call).sample(events))
        report(len(samples))
    if not samples:
        raise UsageError("no item that is wanted is finished: there is nothing to write.")
    whole = _log(log, samples)
    with atomic_path(path) as place:
        write_eval_log(whole, str(place), format="json" if path.suffix == ".json" else "eval")
    return len(samples), sum(event.event == "model" for sample in samples for event in sample.events)


class _Telling(Struct):
    """Makes a sample of one item. known: the messages that each player has been sent and has written so far."""

    entry: Entry
    call: Callable[[int], Call]
    events: list[LogEvent] = field(default_factory=list)
    messages: list[ChatMessage] = field(default_factory=list)
    known: dict[str, list[Message]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    roles: dict[str, ModelUsage] = field(default_factory=dict)
    models: dict[str, ModelUsage] = field(default_factory=dict)

    def sample(self, events: Iterable[Event]) -> EvalSample:
        """The sample."""
        from inspect_ai.log import EvalSample
        from inspect_ai.scorer import Score

        for event in events:
            if isinstance(event, Decision):
                self._decision(event)
            else:
                self.lines.append(event)
        self._lines()
        entry = self.entry
        about = {"what": entry.what, "players": list(entry.players), "about": entry.about, "causes": entry.causes}
        first = next((one for one in self.messages if one.role == "user"), None)
        scores: dict[str, Score] = {name: Score(value=value) for name, value in entry.figures.items()}
        scores["outcome"] = Score(value=entry.outcome)
        return EvalSample(
            id=entry.item,
            epoch=1,
            input=first.text if first else entry.item,
            target="",
            messages=self.messages,
            output=next((one.output for one in reversed(self.events) if one.event == "model"), _nothing()),
            scores=scores,
            metadata=about,
            events=self.events,
            model_usage=self.models,
            role_usage=self.roles,
            total_time=entry.seconds,
            uuid=_name(entry.item),
        )

    def _decision(self, decision: Decision) -> None:
        from inspect_ai.event import InfoEvent

        told = {"player": decision.player, "purpose": decision.purpose, **decision.data}
        made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(told))  # tuples become lists
        self._lines()
        if decision.call is not None:
            self._call(decision, self.call(decision.call), made)
        else:
            said = {} if decision.text is None else {"text": decision.text}
            self.events.append(InfoEvent(source=decision.purpose, data=made | said, uuid=self._next()))
        self.lines += [note for note in decision.notes if note]

    def _call(self, decision: Decision, call: Call, made: dict[str, Any]) -> None:
        from inspect_ai.event import ModelEvent
        from inspect_ai.model import ChatCompletionChoice, GenerateConfig, ModelOutput, ModelUsage

        said, usage, player = conversation(call), _usage(call), decision.player
        answer = _answer(call, said.text, said.reasoning, made | {"item": self.entry.item}, self._next())
        stop: Any = _STOPS.get(call.finish, "unknown")
        output = ModelOutput(
            model=call.served or call.remote,
            choices=[ChatCompletionChoice(message=answer, stop_reason=stop)],
            usage=usage,
            time=call.seconds,
        )
        sent = [_message(message, f"{self._next()}.{number}") for number, message in enumerate(said.messages)]
        self.events.append(
            ModelEvent(
                uuid=self._next(),
                timestamp=_time(call.time),
                completed=_time(call.time + call.total_seconds),
                working_time=call.seconds,
                model=call.remote,
                role=player,
                input=sent,
                tools=[],
                tool_choice="none",
                config=GenerateConfig(),
                output=output,
                retries=call.attempts - 1,
                metadata=made | {"gateway": call.gateway, "call": decision.call, "model": call.model},
            )
        )
        known = self.known.get(player, [])
        already = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(known, said.messages)))
        self.messages += [*sent[already:], answer]
        self.known[player] = [*said.messages, Message("assistant", said.text)]
        self.roles[player] = self.roles.get(player, ModelUsage()) + usage
        self.models[call.remote] = self.models.get(call.remote, ModelUsage()) + usage

    def _lines(self) -> None:
        """The text between two decisions, as one event."""
        from inspect_ai.event import InfoEvent

        text = "\n".join(self.lines).strip("\n")
        self.lines = []
        if text:
            self.events.append(InfoEvent(source=self.entry.what, data=text, uuid=self._next()))

    def _next(self) -> str:
        """A name for the next event: the same in every export."""
        return _name(self.entry.item, len(self.events))


def _log(log: Log, samples: list[EvalSample]) -> EvalLog:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalResults, EvalSpec, EvalStats
    from inspect_ai.model import ModelConfig, ModelUsage
    from inspect_ai.viewer import ViewerConfig

    events = [event for sample in samples for event in sample.events if event.event == "model"]
    times = [event.timestamp for event in events] or [_time(0.0)]
    total: dict[str, ModelUsage] = {}
    for sample in samples:
        for model, usage in sample.model_usage.items():
            total[model] = total.get(model, ModelUsage()) + usage
    ids: list[str | int] = [sample.id for sample in samples]
    spec = EvalSpec(
        eval_id=_name(log.kind, log.name),
        run_id=_name(log.name, log.kind),
        task_id=_name(log.kind),
        created=min(times).isoformat(),
        task=f"antemill/{log.kind}",
        task_display_name=f"{log.kind}: {log.name}",
        dataset=EvalDataset(name=log.name, samples=len(samples), sample_ids=ids, shuffled=False),
        model=next(iter(total)) if len(total) == 1 else _MANY,
        model_roles={event.role: ModelConfig(model=event.model) for event in events if event.role},
        config=EvalConfig(),
        viewer=ViewerConfig(trust_content=False),
    )
    ended = [event.completed for event in events if event.completed is not None]
    return EvalLog(
        status="success" if log.finished else "cancelled",  # the viewer would wait for the end of a "started" log
        eval=spec,
        stats=EvalStats(
            started_at=min(times).isoformat(),
            completed_at=max(ended, default=_time(0.0)).isoformat(),
            model_usage=total,
        ),
        results=EvalResults(total_samples=len(samples), completed_samples=len(samples), scores=list(_scores(samples))),
        samples=samples,
    )


def _scores(samples: list[EvalSample]) -> Iterator[EvalScore]:
    """The mean of each figure over the samples that have it."""
    from inspect_ai.log import EvalMetric, EvalScore

    found: dict[str, list[float]] = {}
    for sample in samples:
        for name, score in (sample.scores or {}).items():
            if isinstance(score.value, int | float):
                found.setdefault(name, []).append(float(score.value))
    for name, values in found.items():
        mean = EvalMetric(name="mean", value=sum(values) / len(values))
        yield EvalScore(name=name, scorer=name, scored_samples=len(values), metrics={"mean": mean})


def _message(message: Message, name: str) -> ChatMessage:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    if message.role == "system":
        return ChatMessageSystem(content=message.text, id=name)
    made = ChatMessageUser if message.role == "user" else ChatMessageAssistant
    return made(content=message.text, id=name)


def _answer(call: Call, text: str, reasoning: str, made: dict[str, Any], name: str) -> ChatMessageAssistant:
    from inspect_ai.model import ChatMessageAssistant, ContentReasoning, ContentText

    thought = [ContentReasoning(reasoning=reasoning)] if reasoning else []
    model = call.served or call.remote
    return ChatMessageAssistant(
        content=[*thought, ContentText(text=text)], id=name, model=model, source="generate", metadata=made
    )


def _usage(call: Call) -> ModelUsage:
    from inspect_ai.model import ModelUsage

    usage = call.usage
    return ModelUsage(
        input_tokens=usage.input_uncached,
        output_tokens=usage.output,
        total_tokens=usage.input + usage.output,
        input_tokens_cache_write=usage.cache_write,
        input_tokens_cache_read=usage.input_cached,
        reasoning_tokens=usage.reasoning,
        total_cost=usage.cost,
    )


def _nothing() -> ModelOutput:
    from inspect_ai.model import ModelOutput

    return ModelOutput()


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _name(*parts: object) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=11).hexdigest()
