"""The tables of an evaluation."""

from __future__ import annotations

from antemill.tournament.evaluation.findings import Findings, PlayerFindings, stake_of
from antemill.tournament.evaluation.regrets import ALL, dearest
from antemill.tournament.evaluation.whole_tables import punished_sheet, whole_sheet
from antemill.tournament.statistics import disguise_sheets as sheets
from antemill.tournament.statistics import replies
from antemill.tournament.statistics.losses import Loss
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet, count, number, text
from antemill.tournament.statistics.statistic import Statistics

GROUPS = ("Scores", "Policies", "Decisions", "Disguises", "Play")
STATISTICS = statistic = Statistics[Findings](*GROUPS)
ONE_PAIR = "one pair of matches only"
ONE_GAME = "one game only"
DEAREST = 20  # decisions of a player
_REPLY = 300  # characters of a reply in a table


def known(value: float | None, reason: str) -> Cell:
    """A figure, or why it is missing."""
    return Missing(reason) if value is None else value


def bounds(loss: Loss, alone: str) -> list[Cell]:
    """The interval of a loss as two cells. alone: why a mean without an error has none."""
    reason = alone
    return [known(loss.low, reason), known(loss.high, reason)]


@statistic("losses", "chips lost to perfect play, the mean of all games", group="Scores", printed=True)
def losses(a: Findings) -> Sheet:
    """A row for each player, the one that loses least first."""
    columns = [text("player", "Player"), count("matches", "Matches"), number("loss", "Loss", 3)]
    columns += [Column(key, head, "number", 3, True, "These games") for key, head in (("low", "low"), ("high", "high"))]
    columns += [Column(f"{key}_like", key, "number", 3, True, "Games like these") for key in ("low", "high")]
    columns += [number("units", "In deviations", 3), *[number(f"units_{key}", key, 3) for key in ("low", "high")]]
    columns += [number("regret", "Regret a decision", 4, False), count("fallbacks", "Fallbacks"), *replies.COLUMNS]
    return Sheet("losses", "Loss to perfect play", columns, [_row(one) for one in a.players], _LOSSES)


_LOSSES = (
    "Chips a match that a player loses to the equilibrium, the mean over games and both seats, without the luck of the "
    "cards and of the equilibrium's own choices (AIVAT); zero is perfect play. In deviations: each game's loss divided "
    "by the standard deviation of its chips between two equilibria."
)


def _row(one: PlayerFindings) -> list[Cell]:
    suite, whole = one.suite, one.regrets[0]
    cells: list[Cell] = [one.name, sum(game.matches for game in one.games), suite.chips.mean]
    cells += bounds(suite.chips, ONE_GAME) + bounds(suite.chips_like, ONE_GAME)
    cells += [suite.units.mean, *bounds(suite.units, ONE_GAME)]
    fell = one.fallbacks
    shares = replies.cells({one.name: (fell.moves, fell.second, fell.fallbacks)}, one.name)
    return [*cells, whole.regret.mean, fell.fallbacks, *shares]


@statistic("losses_by_game", "the same game by game", group="Scores")
def losses_by_game(a: Findings) -> Sheet:
    """A row for each player and game."""
    columns = [text("player", "Player"), text("game", "Game"), count("matches", "Matches"), number("loss", "Loss", 3)]
    columns += [number("low", "low", 3), number("high", "high", 3), number("units", "In deviations", 3)]
    columns += [number("raw", "With luck", 3), number("ratio", "Variance ratio", 3, False)]
    rows: list[list[Cell]] = []
    for player in a.players:
        for one in player.games:
            units = one.loss.mean / one.unit if one.unit > 0 else Missing("the game's chips never differ")
            ratio = known(one.ratio, "no variance to compare with")
            rows.append([player.name, one.game, one.matches, one.loss.mean, *bounds(one.loss, ONE_PAIR)])
            rows[-1] += [units, one.raw, ratio]
    note = (
        "Chips a match. With luck: the same from the chips as they were won. The variance ratio is the share of the "
        "matches that gives the same precision as all would with luck."
    )
    return Sheet("losses_by_game", "Loss by game", columns, rows, note)


@statistic("references", "the games and their equilibria", group="Scores")
def references(a: Findings) -> Sheet:
    """A row for each game."""
    columns = [text("game", "Game"), count("nodes", "Nodes"), number("value", "Value to Alice", 4)]
    columns += [number("exploitability", "Exploitability", 6, False), number("deviation", "Deviation", 2, False)]
    rows: list[list[Cell]] = []
    for label, one in a.references.items():
        solution = one.saved.solution
        facts = (solution.nodes, solution.value, solution.exploitability)
        nodes, value, exploitability = (known(fact, "not measured") for fact in facts)
        rows.append([label, nodes, value, exploitability, one.deviation])
    note = (
        "The equilibrium that players meet. Exploitability is what a best response wins against it on average, chips: "
        "so much a player may seem to lose less than nothing. Deviation: of the chips between two equilibria."
    )
    return Sheet("references", "Games and their equilibria", columns, rows, note)


@statistic("policies", "exploitability of whole policies of small games", group="Policies", printed=True)
def whole_policies(a: Findings) -> Sheet | None:
    """A row for each player and game in which it was asked everywhere; None without questions."""
    return whole_sheet(a.wholes)


@statistic("punished", "the decisions that a best response punishes most", group="Policies")
def punished(a: Findings) -> Sheet | None:
    """The dearest decisions of whole policies."""
    return punished_sheet(a.wholes)


@statistic("regrets", "what decisions give away by kind", group="Decisions", printed=True)
def regrets(a: Findings) -> Sheet:
    """A row for each player and kind of decision."""
    columns = [text("player", "Player"), text("kind", "Decision"), count("decisions", "Decisions")]
    columns += [number("regret", "Regret", 4, False), number("low", "low", 4, False), number("high", "high", 4, False)]
    columns += [Column("mistakes", "Mistakes", "share", 1), number("total", "In all", 2, False)]
    columns.append(count("unknown", "Unknown"))
    rows: list[list[Cell]] = []
    for player in a.players:
        for one in player.regrets:
            rows.append([player.name, "all decisions" if one.kind == ALL else one.kind, one.decisions, one.regret.mean])
            rows[-1] += [*bounds(one.regret, ONE_PAIR), one.mistakes, one.total, one.unknown]
    note = (
        "Chips that a decision gives away beside the best action, both players at the equilibrium afterwards. A "
        "mistake gives away more than .005 chips. Unknown: decisions to which the equilibrium never leads."
    )
    return Sheet("regrets", "Regret by kind of decision", columns, rows, note)


@statistic("dearest", "the decisions that give most away", group="Decisions")
def dearest_decisions(a: Findings) -> Sheet:
    """The dearest decisions of each player."""
    columns = [text("player", "Player"), text("game", "Game"), text("kind", "Decision"), text("choice", "Played")]
    columns += [text("best", "Best"), number("cost", "Gives away", 3, False), text("item", "Match")]
    columns += [count("number", "Number"), text("reply", "Reply")]
    rows: list[list[Cell]] = []
    for player in a.players:
        for one in dearest(player.decisions, DEAREST):
            reply = one.reply if len(one.reply) <= _REPLY else f"{one.reply[:_REPLY]}…"
            said = reply or Missing("a player without words")
            rows.append([one.player, one.game, one.kind, one.choice, one.best, one.cost, one.item, one.number, said])
    note = (
        f"At most {DEAREST} of each player, chips. The match's prompts and whole replies: `antemill show` with "
        "`--prompt`, or the match on this page."
    )
    return Sheet("dearest", "The costliest decisions", columns, rows, note)


@statistic("disguises", "losses in each disguise, on the same cards", group="Disguises")
def disguises(a: Findings) -> Sheet | None:
    """A row for each player, game and form; None without disguises."""
    return sheets.by_disguise(_gains(a), a.seeds, sheets.LOSS, _units(a))


@statistic("recognised", "games played better as themselves than in disguise", group="Disguises", printed=True)
def recognised(a: Findings) -> Sheet | None:
    """A row for each player and game; None without disguises."""
    return sheets.recognised(_gains(a), sheets.LOSS, _units(a))


def _gains(a: Findings) -> sheets.Gains:
    return {one.name: one.forms for one in a.players}


def _units(a: Findings) -> sheets.Units:
    return {label: (one.deviation, stake_of(a.games[label])) for label, one in a.references.items()}
