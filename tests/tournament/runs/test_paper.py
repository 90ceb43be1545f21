"""`paper = true`: one key for a paper's protocol, and what contradicts it (T3, T5, S6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from antemill.engine.errors import UsageError
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.runs import RunConfig, read_config, start_run
from antemill.tournament.runs.config import parse_config
from antemill.tournament.skate.config import SkateConfig
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge

PLAYERS = b'[players.a]\nmodel = "a"\n[players.b]\nmodel = "b"\n'


def test_the_key_stands_for_its_settings() -> None:
    duel = parse_config(b"paper = true\n" + PLAYERS, DuelConfig, "given").duel
    assert (duel.turns, duel.judge_rules, duel.first_turn) == (10, False, "")
    skate = parse_config(b"paper = true\n" + PLAYERS, SkateConfig, "given").skate
    assert (skate.rounds, skate.strategy, skate.sampling.first, skate.temperature) == (
        *(50, "historical-performance", 10, 0.7),
    )
    assert (skate.embedder.kind, skate.embedder.model, skate.embedder.threshold) == (
        *("openai", "text-embedding-3-small", 0.336),
    )


@pytest.mark.parametrize(
    ("kind", "table", "sentence"),
    [
        (DuelConfig, "[duel]\njudge_rules = true", "judge_rules = false in [duel], and here it is true"),
        (SkateConfig, '[skate.embedder]\nkind = "minilm"', '"openai" in [skate.embedder], and here it is "minilm"'),
        (RunConfig, "", "line 1: `paper = true` has no meaning for this kind"),
        (DuelConfig, "[duel]\nturns = true", "turns = 10 in [duel]"),
    ],
)
def test_what_contradicts_it_is_refused(kind: type[RunConfig], table: str, sentence: str) -> None:
    with pytest.raises(UsageError, match="paper = true") as caught:
        parse_config(f"paper = true\n{table}\n".encode() + PLAYERS, kind, "duels.toml")
    assert sentence in str(caught.value)


def test_a_run_by_the_papers_protocol(tmp_path: Path) -> None:
    """One reply a turn, the paper's prompts alone, and nothing where the past will be; the run and its page say so."""
    seen: list[str] = []

    def ace(request: object) -> str:
        seen.append(request.messages[-1].text)  # type: ignore[attr-defined]
        return duelists.strong(request)  # type: ignore[arg-type]

    scripts = {"ace": ace, "mute": duelists.silent}
    (tmp_path / "models.toml").write_text("".join(f'[{n}]\nprotocol = "scripted"\nmodel = "{n}"\n' for n in scripts))
    path = tmp_path / "duels.toml"
    players = "".join(f'[players.{name}]\nmodel = "{name}"\n' for name in scripts)
    path.write_text(f'paper = true\n[limits]\nfallbacks = 0\n[duel]\npairs = [["ace", "mute"]]\n{players}')
    with start_run(DuelKind(lambda _: TrustingJudge()), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=scripts)
        (record,) = session.store.records()
    turns = record.row["turns"]
    assert [(turn["proposer_tries"], turn["proposer_unread"]) for turn in turns] == [(1, ""), (1, "unparsable")] * 5
    assert [turn["outcome"] for turn in turns] == ["unsolved", "penalty"] * 5
    assert len(seen) == 5  # as proposer; a wrong sample solution asks no solver
    assert "to ensure your puzzle is difficult enough.\n\n# Reminder" in seen[0]
    assert "# Rules of the judge" not in seen[0]
    assert read_config(tmp_path / "run" / "config.toml", DuelConfig).paper is True
    assert command(["report", str(tmp_path / "run")]) == 0
    assert "Duels of The Token Games, as in the paper" in (tmp_path / "run" / "report.html").read_text()
