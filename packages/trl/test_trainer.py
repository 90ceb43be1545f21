"""TRL's own GRPOTrainer plays our matches: its tokenisation, its loop of tools, its rewards and its step of training.

The model is tiny, on the CPU; its replies follow a script, and everything else is TRL's. Run by `make test-libraries`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import trl
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from antemill.tournament.adapters.episode import Episode, Setting, ground
from antemill.tournament.adapters.trl import match_dataset, match_environment, match_rows

END = "<|im_end|>"
SPECIAL, TAGS = ("<|endoftext|>", "<|im_start|>", END), ("<tool_call>", "</tool_call>", "<think>", "</think>")
SEED = 8  # of the tasks: the first two differ in every reward that is tested


@functools.cache
def tokenizer() -> PreTrainedTokenizerFast:
    """A token for each byte, with the chat template of Qwen3 as TRL ships it."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE({letter: i for i, letter in enumerate(alphabet)}, []))
    core.pre_tokenizer, core.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    core.add_special_tokens([AddedToken(text, special=True) for text in SPECIAL])
    core.add_tokens([AddedToken(text, special=False) for text in TAGS])
    made = PreTrainedTokenizerFast(tokenizer_object=core, eos_token=END, pad_token=SPECIAL[0])
    made.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text(encoding="utf-8")
    return made


HEADS = {"num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8, "hidden_size": 16}
LAYERS = {"intermediate_size": 16, "num_hidden_layers": 1, "max_position_embeddings": 32_768}


class Scripted(GRPOTrainer):  # type: ignore[misc]
    """The model's replies follow a script, a function of the prompt's text; `rewards` has those of each step."""

    script: Callable[[str], str]

    def _generate_single_turn(self, prompt_ids: Any, *_: Any, **__: Any) -> Any:
        texts = [self.processing_class.decode(ids) for ids in prompt_ids]
        replies = [self.script(text) + END for text in texts]
        return [self.processing_class(reply, add_special_tokens=False)["input_ids"] for reply in replies], None

    def _calculate_rewards(self, *args: Any, **kwargs: Any) -> Any:
        found = super()._calculate_rewards(*args, **kwargs)
        self.rewards = [*getattr(self, "rewards", []), found[:, 0].tolist()]
        return found


def trained(folder: Path, setting: Setting, script: Callable[[str], str]) -> Scripted:
    """A trainer after two steps on Kuhn poker."""
    torch.manual_seed(0)
    pieces = tokenizer()
    steps = {"max_steps": 2, "per_device_train_batch_size": 4, "num_generations": 4, "max_completion_length": 8_192}
    quiet = {"report_to": [], "logging_steps": 1, "save_strategy": "no"}
    trainer = Scripted(
        model=Qwen3ForCausalLM(Qwen3Config(vocab_size=len(pieces), **HEADS, **LAYERS)),
        args=GRPOConfig(str(folder), use_cpu=True, shuffle_dataset=False, seed=1, **steps, **quiet),
        processing_class=pieces,
        train_dataset=match_dataset(["kuhn"], setting, seed=SEED),
        environment_factory=match_environment(setting),
    )
    trainer.script = script
    trainer.train()
    return trainer


def call(action: object) -> str:
    """A reply that calls the tool."""
    return f"<tool_call>\n{json.dumps({'name': 'act', 'arguments': {'action': action}})}\n</tool_call>"


def cautious(text: str) -> str:
    """Checks or folds at every decision."""
    last = text.rsplit("<tool_response>", 1)[-1]
    check = '"check"' in last.rsplit("Legal actions", 1)[-1]
    return "Thank you." if "The game is over" in last else call("check" if check else "fold")


def played(setting: Setting, row: dict[str, Any]) -> float:
    """The same without TRL: the reward of checking and folding in the match of a row."""
    episode = Episode(ground(row["game"], setting), row["play_seed"], (row["seat"],))
    while not episode.over:
        episode.answer(json.dumps({"action": "check" if "check" in episode.match.menu.labels else "fold"}))
    return episode.score(row["seat"]).total


@pytest.mark.parametrize(("reward", "opponent"), [("payoff", "random"), ("aivat", "random"), ("regret", "cfr")])
def test_the_trainer_gets_the_reward_of_what_was_played(tmp_path: Path, reward: Any, opponent: str) -> None:
    setting = Setting(opponent=opponent, reward=reward)
    trainer = trained(tmp_path, setting, cautious)
    rows = match_rows(["kuhn"], setting, seed=SEED)
    want = [played(setting, next(rows)) for _ in range(2)]
    assert want[0] != want[1]
    assert [row[0] for row in trainer.rewards] == pytest.approx(want)
    assert all(len(set(row)) == 1 and len(row) == 4 for row in trainer.rewards)  # one match for all rollouts of a group
    log = trainer.state.log_history[0]
    assert log["tools/failure_frequency"] == 0.0 < log["tools/call_frequency"]


def test_a_model_that_says_something_else_is_played_for_and_pays(tmp_path: Path) -> None:
    setting = Setting(opponent="random", penalty=100.0)
    for script in (lambda _: "I would rather not.", lambda _: "", lambda _: call("fly")):
        rewards = trained(tmp_path, setting, script).rewards[0]
        assert all(-302.0 <= reward <= -98.0 for reward in rewards)
