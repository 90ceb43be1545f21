"""TRL's own GRPOTrainer plays our matches: its tokenisation, its loop of tools, its rewards and its step of training.

The model is tiny, with random weights, on the CPU, with its own tokenizer. Some tests script its replies; everything
else is TRL's. Run by `make test-libraries`, in an environment of its own.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import trl
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from antemill.engine.errors import UsageError
from antemill.engine.rules.spec import to_json
from antemill.tournament.adapters import Curriculum
from antemill.tournament.adapters.episode import Episode, Setting, ground
from antemill.tournament.adapters.trl import match_dataset, match_environment, match_rows
from antemill.tournament.pool.build import build_pool

END = "<|im_end|>"
SPECIAL = ("<|endoftext|>", "<|im_start|>", END, "<tool_call>", "</tool_call>", "<think>", "</think>")
SEED = 8  # of the tasks: the first two differ in every reward that is tested
Script = Callable[[str], str]


@functools.cache
def tokenizer() -> PreTrainedTokenizerFast:
    """Tokens made from a rulebook, with the chat template of Qwen3 as TRL ships it."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.train_from_iterator(
        [ground("leduc", Setting()).system],
        trainers.BpeTrainer(
            vocab_size=1_500, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
        ),
    )
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens([AddedToken(text, special=True) for text in SPECIAL[:3]])
    core.add_tokens([AddedToken(text, special=False) for text in SPECIAL[3:]])
    made = PreTrainedTokenizerFast(tokenizer_object=core, eos_token=END, pad_token=SPECIAL[0])
    made.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text(encoding="utf-8")
    return made


def model(size: int) -> Qwen3ForCausalLM:
    """A model of a few thousand weights."""
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=size,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=32_768,
    )
    return Qwen3ForCausalLM(config)


class Scripted(GRPOTrainer):  # type: ignore[misc]
    """The model's replies follow a script, a function of the prompt's text."""

    script: Script
    prompts: list[str]

    def _generate_single_turn(self, prompt_ids: Any, *_: Any, **__: Any) -> Any:
        texts = [self.processing_class.decode(ids) for ids in prompt_ids]
        self.prompts += texts
        replies = [self.script(text) + END for text in texts]
        return [self.processing_class(reply, add_special_tokens=False)["input_ids"] for reply in replies], None


def trained(
    folder: Path, games: list[str], setting: Setting, script: Script | None, length: int = 2_048, steps: int = 1
) -> tuple[GRPOTrainer, list[list[float]]]:
    """A trainer after its steps, and the rewards of each step, as the trainer has them from the environments."""
    pieces = tokenizer()
    args = GRPOConfig(
        output_dir=str(folder),
        max_steps=steps,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=length,
        report_to=[],
        logging_steps=1,
        use_cpu=True,
        save_strategy="no",
        shuffle_dataset=False,
        learning_rate=1e-3,
        seed=1,
    )
    kind = GRPOTrainer if script is None else Scripted
    trainer = kind(
        model=model(len(pieces)),
        args=args,
        processing_class=pieces,
        train_dataset=match_dataset(games, setting, seed=SEED),
        environment_factory=match_environment(setting),
    )
    if script is not None:
        trainer.script, trainer.prompts = script, []
    rewards: list[list[float]] = []
    scored = trainer._calculate_rewards

    def calculate(*args: Any, **kwargs: Any) -> Any:
        found = scored(*args, **kwargs)
        rewards.append(found[:, 0].tolist())
        return found

    trainer._calculate_rewards = calculate
    trainer.train()
    return trainer, rewards


def call(action: object) -> str:
    """A reply that calls the tool."""
    return f"<tool_call>\n{json.dumps({'name': 'act', 'arguments': {'action': action}})}\n</tool_call>"


def cautious(text: str) -> str:
    """Checks or folds at every decision."""
    last = text.rsplit("<tool_response>", 1)[-1]
    if "The game is over" in last:
        return "Thank you."
    return call("check") if '"check"' in last.rsplit("Legal actions", 1)[-1] else call("fold")


def played(setting: Setting, row: dict[str, Any]) -> float:
    """The same without TRL: the reward of checking and folding in the match of a row."""
    episode = Episode(ground(row["game"], setting), row["play_seed"], (row["seat"],))
    while not episode.over:
        labels = episode.match.menu.labels
        episode.answer(json.dumps({"action": "check" if "check" in labels else "fold"}))
    return episode.score(row["seat"]).total


@pytest.mark.parametrize(("reward", "opponent"), [("payoff", "random"), ("aivat", "random"), ("regret", "cfr")])
def test_the_trainer_gets_the_reward_of_what_was_played(tmp_path: Path, reward: Any, opponent: str) -> None:
    setting = Setting(opponent=opponent, reward=reward)
    trainer, rewards = trained(tmp_path, ["kuhn"], setting, cautious, steps=2)
    rows = match_rows(["kuhn"], setting, seed=SEED)
    want = [played(setting, next(rows)) for _ in range(2)]
    assert len(set(want)) > 1
    assert [row[0] for row in rewards] == pytest.approx(want)
    assert all(len(set(row)) == 1 and len(row) == 4 for row in rewards)  # one match for all rollouts of a group
    log = trainer.state.log_history[0]
    assert log["tools/failure_frequency"] == 0.0
    assert log["tools/call_frequency"] >= 1.0


def test_prompts_are_the_tournaments_and_the_tool_is_described(tmp_path: Path) -> None:
    setting = Setting(opponent="passive")
    trainer, _ = trained(tmp_path, ["leduc"], setting, cautious)
    where, row = ground("leduc", setting), next(match_rows(["leduc"], setting, seed=SEED))
    first = trainer.prompts[0]
    assert where.system in first
    assert Episode(where, row["play_seed"], (row["seat"],)).question() in first
    described = json.loads(first.split("<tools>\n")[1].split("\n</tools>")[0])["function"]
    assert described["name"] == "act"
    assert described["parameters"]["required"] == ["action"]
    assert set(described["parameters"]["properties"]["action"]["type"]) == {"string", "integer"}


def test_a_data_set_is_drawn_from_a_curriculum(tmp_path: Path) -> None:
    build_pool(tmp_path / "pool", (0, 60), workers=1)
    course, twin = (Curriculum(tmp_path / "pool", seed=2) for _ in range(2))
    rows = itertools.islice(match_dataset(course, Setting()), 5)
    assert [row["game"] for row in rows] == [to_json(game.spec).decode() for game in twin.draw(5)]
    assert course.state()["drawn"] == 5
    with pytest.raises(UsageError, match="a data set cannot be made of a generator"):
        match_dataset((game for game in ["kuhn"]), Setting())


def test_a_model_that_says_something_else_is_played_for_and_pays(tmp_path: Path) -> None:
    setting = Setting(opponent="random", penalty=100.0)
    for script in (lambda _: "I would rather not.", lambda _: "", lambda _: call("fly")):
        _, rewards = trained(tmp_path, ["kuhn"], setting, script)
        assert all(-302.0 <= reward <= -98.0 for reward in rewards[0])


def test_a_model_that_repeats_wrong_calls_is_stopped(tmp_path: Path) -> None:
    wrong = '<tool_call>\n{"name": "act", "arguments": {"move": "bet"}}\n</tool_call>'
    setting = Setting(opponent="random", penalty=100.0)
    trainer, rewards = trained(tmp_path, ["kuhn"], setting, lambda _: wrong, length=500)
    assert all(reward <= -98.0 for reward in rewards[0])
    assert trainer.state.log_history[0]["tools/failure_frequency"] == 1.0


def test_differing_rewards_change_the_weights(tmp_path: Path) -> None:
    turn = iter(range(10_000))

    def alternates(text: str) -> str:
        return cautious(text) if next(turn) % 2 else "I would rather not."

    before = model(len(tokenizer())).state_dict()
    trainer, rewards = trained(tmp_path, ["kuhn"], Setting(opponent="random", penalty=1.0), alternates)
    assert len(set(rewards[0])) > 1
    after = trainer.model.state_dict()
    assert any(not torch.equal(before[name], after[name]) for name in before)


def test_a_model_with_random_weights_trains_without_hanging(tmp_path: Path) -> None:
    _, rewards = trained(tmp_path, ["7@0.4"], Setting(opponent="random", penalty=100.0), None, length=16)
    assert all(reward < -50.0 for reward in rewards[0])
