"""The tournament of card games: GENSTRAT, sections 5 and 9 and appendix F (N1 to N3, N14).

config    [tournament], [players.NAME], [ablation]
pinned_games  the games of a tournament, pinned with the run
slots     a slot: one match that is to be played, and its play seed
schedule  which slots: round robin, rotating and thinking ablation (fixed), or adaptive
seats     the players: bots, solved policies, users' scripts, models
play      one match, played asynchronously
kind      the tournament as a kind of runs (`TOURNAMENT`)
items     matches in lists, in the terminal and in pages   replay  a match as frames of a page
equilibrium  what an equilibrium says of each move
rows      the finished matches as rows, replies without a legal action, and costs
findings  what the matches of some tournaments come to   tables  its tables   headline  who leads
"""

from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.kind import TOURNAMENT
from antemill.tournament.cards.plan import CardTournament, read_games

__all__ = ["TOURNAMENT", "CardConfig", "CardTournament", "read_games"]
