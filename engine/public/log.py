"""The log of episodes, as columns and as tables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from antemill.engine.errors import UsageError
from antemill.engine.machine.program import DecisionType, Program
from antemill.engine.machine.rollout import Array, Log
from antemill.engine.text.labels import SEATS, unique

if TYPE_CHECKING:
    import pandas

_SHOWN = 10  # decisions that a notebook shows


class EpisodeLog:
    """The record of random or scripted play: a row for each decision, and one for each episode.

    `decisions` and `episodes` are Arrow tables; columns of numbers share their memory with the arrays of the same name.
    `len(log)` is the number of decisions. The numpy arrays:

        episode   int32[decisions]    number of the episode, from 0; its decisions are adjacent, in order of play
        seat      int8[decisions]     the seat that decided: 0 Alice, 1 Bob
        decision  int16[decisions]    decision type: an index into `program.names.decisions`
        action    int16[decisions]    the action played: the number of an option, or an amount of chips
        menu      int16[decisions]    the number of actions offered
        recall    int64[decisions]    key of the information set: all events that the player was told, in order
        info      int64[decisions]    key of the paper's information state (GENSTRAT appendix C)
        context   int64[decisions]    key of its coarse part: decision type, hand, action path, chip bin
        payoff    int32[episodes]     chips that Alice won; Bob's payoff is the negative
    """

    episode: Array
    seat: Array
    decision: Array
    action: Array
    menu: Array
    recall: Array
    info: Array
    context: Array
    payoff: Array

    def __init__(self, program: Program, columns: Log) -> None:
        """columns: the log of the machine's own `rollout` of this program."""
        self.program = program
        self.columns = columns  # in the form that kernels take
        for name in ("episode", "seat", "decision", "action", "menu", "recall", "info", "context", "payoff"):
            setattr(self, name, getattr(columns, name))

    @cached_property
    def decisions(self) -> pa.Table:
        """A row for each decision: episode, seat, decision_type, option, action, menu, recall, info, context.

        `seat`, `decision_type` and `option` are dictionaries of words, the other columns the arrays of these names.
        """
        types = self.program.names.decisions
        words = unique(f"{SEATS[each.seat]}, {each.phase}: {each.move_name}" for each in types)
        return pa.table(
            {
                "episode": pa.array(self.episode),
                "seat": pa.DictionaryArray.from_arrays(pa.array(self.seat), pa.array(SEATS)),
                "decision_type": pa.DictionaryArray.from_arrays(pa.array(self.decision), pa.array(words, pa.string())),
                "option": self._options(types),
                "action": pa.array(self.action),
                "menu": pa.array(self.menu),
                "recall": pa.array(self.recall),
                "info": pa.array(self.info),
                "context": pa.array(self.context),
            }
        )

    @cached_property
    def episodes(self) -> pa.Table:
        """A row for each episode: episode, payoff (Alice's, in chips), decisions (their number)."""
        count = len(self.payoff)
        made = np.bincount(self.episode, minlength=count).astype(np.int32)
        return pa.table(
            {"episode": np.arange(count, dtype=np.int32), "payoff": pa.array(self.payoff), "decisions": made}
        )

    def to_pandas(self) -> pandas.DataFrame:
        """The decisions as a data frame, with the columns of `decisions`. Raises UsageError if pandas is missing."""
        try:
            import pandas  # noqa: F401
        except ImportError as error:
            raise UsageError(
                "pandas is not installed: `pip install pandas`, or use `log.decisions` (Arrow)."
            ) from error
        return self.decisions.to_pandas()

    def _options(self, types: tuple[DecisionType, ...]) -> pa.DictionaryArray:
        """The names of the played actions: an option's name, or an amount of chips."""
        offsets = self.program.action_offsets
        words = [text for each in types for text in (each.labels or tuple(map(str, range(each.actions))))]
        places = {text: place for place, text in enumerate(dict.fromkeys(words))}
        place_of = np.array([places[text] for text in words], np.int32)
        played = place_of[offsets[self.decision] + self.action] if words else np.zeros(0, np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(played), pa.array(list(places), pa.string()))

    def __len__(self) -> int:
        return len(self.decision)

    def __repr__(self) -> str:
        played = f"{len(self.payoff):,} episodes, {len(self):,} decisions"
        mean = f", mean payoff {float(np.mean(self.payoff)):+.3f} chips for Alice" if len(self.payoff) else ""
        return f"<EpisodeLog of {self.program.names.game!r}: {played}{mean}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = self.decisions.slice(0, _SHOWN).to_pylist()
        cells = [[escape(str(value)) for value in row.values()] for row in rows]
        head = "".join(f"<th>{escape(name)}</th>" for name in self.decisions.column_names)
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
        return f"<p>{escape(repr(self)[1:-1])}</p><table><tr>{head}</tr>{body}</table>"
