"""The server's pages: the first one, and the reports of runs. Their script asks the server for everything else."""

from __future__ import annotations

from collections.abc import Sequence

from antemill.tournament.charts.text import plain
from antemill.tournament.pages.page import page, tiles
from antemill.tournament.pages.run import warned
from antemill.tournament.runs.items import Row
from antemill.tournament.view.workshop import Made


def home(runs: Sequence[Row]) -> str:
    """The first page: all runs."""
    titles = ", ".join(str(run["title"]) for run in runs)
    return page("Antemill", titles, ['<div id="live"></div>'], live="")


def report(run: Row, made: Made | None) -> str:
    """The page of one run. made: its overview; while there is none, the page has what is known without one."""
    name, folder, warnings = str(run["id"]), str(run["folder"]), warned(run["warnings"])
    if made is None:
        said = "Figures and tables are being made, and appear here by themselves. The list has all that is finished."
        return page(f"Antemill: {name}", _players(run), [_news("", said), *warnings, _known(run)], live=name)
    if made.problem:
        problem = f'<p class="problem" role="alert">{plain(made.problem)}</p>'
        return page(f"Antemill: {name}", _players(run), [_news(made.word), problem, _known(run)], live=name)
    said = "As one file that can be sent, with its items:"
    file = f'<p class="note">{said} <code>antemill report {plain(folder)}</code></p>'
    found = made.value
    return page(found.title, found.lead, [_news(made.word), *warnings, *found.body, file], live=name)


def _news(word: str, said: str = "") -> str:
    """Where the script says what has changed since. word: of what was made, "" of nothing."""
    told = f"{plain(said)} " if said else ""
    return f'<p id="news" class="note" data-made="{word}"><b></b> {told}<span role="status"></span><small></small></p>'


def _players(run: Row) -> str:
    return f"{', '.join(run['players'])}." if run["players"] else ""


def _known(run: Row) -> str:
    if run["problem"]:
        return ""  # how much is finished cannot be read
    return tiles((("Finished", f"{run['done']:,}", f"of {run['total']:,}"),))
