"""The topics of a puzzle, by a model (T11; TTG section 4.2). The paper's prompt and examples are not printed; these are
our own. Tags are lower-case words joined by hyphens.
"""

from __future__ import annotations

import re

from antemill.llm import Reply
from antemill.tournament.replies import ReplyError, json_answer, object_schema

VERSION = 2
MOST = 12  # our reading: the most tags of a puzzle; further ones are left out

PROMPT = """\
You label programming puzzles with topics, as sites for competitive programming do. A puzzle is a Python function \
mystery(x); whoever solves it finds an x for which it returns True.

Give between 2 and 8 short tags: broad ones (number-theory) and ones for the specific skill \
(chinese-remainder-theorem). Lower case, words joined by hyphens, singular where it reads well. \
Tag what solving it takes, not the syntax.

Examples:
- x % 7 == 3 and x % 11 == 5 and x % 13 == 1 -> \
["number-theory", "modular-arithmetic", "chinese-remainder-theorem"]
- a string that equals its reverse and holds every vowel -> ["strings", "palindrome", "letter-constraints"]
- hashlib.sha256(x).hexdigest() starts with a given text -> ["cryptography", "hash-preimage", "brute-force"]
- a list of edges that visits every vertex of a graph once -> ["graphs", "hamiltonian-path", "search"]
- an integer whose bits, rotated by 3 and xored, give a constant -> ["bit-manipulation", "bit-rotation", "xor"]

The puzzle:
{puzzle}

What its author says about it:
{explanation}

Answer with a JSON object and nothing else: {"tags": ["number-theory", "chinese-remainder-theorem"]}"""

SCHEMA = object_schema(tags={"type": "array", "items": {"type": "string"}})


def tag_prompt(puzzle: str, explanation: str) -> str:
    """The tagger's prompt. It has the private explanation, so that the tagger need not solve the puzzle."""
    parts = {"{puzzle}": puzzle, "{explanation}": explanation or "(nothing)"}
    return re.sub(r"\{puzzle\}|\{explanation\}", lambda found: parts[found[0]], PROMPT)


def read_tags(reply: Reply) -> list[str]:
    """The tags in a reply, each once. Raises ReplyError if there is none."""
    found = json_answer(reply.text, "tags", reply.schema)["tags"]
    tags = [clean(tag) for tag in found if isinstance(tag, str)] if isinstance(found, list) else []
    if not any(tags):
        raise ReplyError('"tags" is no list of tags.')
    return list(dict.fromkeys(tag for tag in tags if tag))[:MOST]


def clean(tag: str) -> str:
    """A tag in its normal form."""
    return re.sub(r"[^a-z0-9]+", "-", tag.casefold()).strip("-")
