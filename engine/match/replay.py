"""Playing a transcript again."""

from __future__ import annotations

from antemill.engine.arguments import kind
from antemill.engine.match.errors import IllegalChoiceError, MatchOverError, ReplayError
from antemill.engine.match.game import Game, Rules
from antemill.engine.match.match import Match
from antemill.engine.match.transcript import Transcript


def replay(transcript: Transcript, rules: Rules | Game) -> Match:
    """Play a transcript again, up to its end.

    Raises ReplayError if the transcript is of another game, or if the match differs from it.
    """
    kind(transcript, "transcript", Transcript, "make one by match.transcript(), or by read_transcript(data)")
    game = Game.of(rules)
    if transcript.digest != game.digest:
        raise ReplayError(f"the transcript is of another game, {transcript.game}: name that one.")
    match = Match(game, transcript.play_seed, transcript.seats)
    for record in transcript.decisions:
        try:
            if record.substitution == "no-choice":
                match.apply_random(record.submitted)
            else:
                match.apply(record.submitted)
        except (IllegalChoiceError, MatchOverError) as error:
            raise ReplayError(f"the transcript was altered: {error}") from error
    if match.transcript() != transcript:
        raise ReplayError("the transcript was altered: played again, the match differs from it.")
    return match
