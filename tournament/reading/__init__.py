"""Reads the text of a model's answer from its raw reply, before every parser of cards, duels and SKATE.

    thoughts          the text between the tags of a thought, in any brackets: <think>, [THINK], ◁think▷, a channel
                      that is not the final one, a fence or a token of that name. A closing tag without an opening
                      ends a thought that began with the reply. A thought that is never closed goes on to the end of
                      the reply, and no part of it is an answer. An HTML comment is a thought too.
    other elements    an element of any other name is a thought only if the answer follows it, or if the reply was cut
                      off within it. Elements of HTML, and elements named after an answer, are not thoughts.
    tokens            of chat templates: the ends of turns, and all text after the end of the model's own turn
    invisible marks   characters without width, outside of quotation marks

A tag within code does not count: within a string or a comment of valid Python, within a JSON value, in backticks, or
alone in quotation marks. The raw reply stays on record; `Said.taken` has the removed parts. Reading is idempotent.

forms    what tags, tokens and roles look like
source   code in a reply: fences, Python and JSON, within which no tag counts
tags     the tags and tokens of a reply, and what each does
reply    the reading itself: what is removed, round after round
"""

from antemill.tournament.reading.reply import MARKS, Said, Taken, read, unwrapped
from antemill.tournament.reading.source import LONGEST, Fence, fences, is_python

__all__ = ["LONGEST", "MARKS", "Fence", "Said", "Taken", "fences", "is_python", "read", "unwrapped"]
