"""The rules of a game as text: deterministic Markdown from a `GameSpec` alone (GENSTRAT appendix B; G41 to G43).

    text = rulebook(generate(9))

The text is what a language model gets as its system prompt, and what a person reads. It is complete (every field of a
spec that can change play changes the text) and names everything that can happen in the section of the phase in which
it happens. A spec that the legality checker refuses is rendered as far as it makes sense.
"""

from antemill.engine.text.rulebook.book import rulebook

__all__ = ["rulebook"]
