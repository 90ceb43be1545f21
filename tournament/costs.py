"""The costs of a run, see `antemill.tournament.runs.costs`."""

from antemill.tournament.runs.costs import cost_sheet, headline, uncertain

__all__ = ["cost_sheet", "headline", "uncertain"]
