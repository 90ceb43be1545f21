"""The tournament of card games: GENSTRAT, sections 5 and 9 and appendix F (N1 to N3, N14).

config    [tournament], [players.NAME], [ablation]
games     the games of a tournament, pinned with the run
slots     a slot: one match that is to be played, and its play seed
schedule  which slots: round robin, rotating and thinking ablation (fixed), or adaptive
seats     who sits at the table: bots, solved policies, people's scripts, models
play      one match, played asynchronously
kind      the tournament as a kind of runs (`TOURNAMENT`)
explore   matches in pages: rows, details   replay  a match as frames   solved  what an equilibrium thinks of moves
results   what a run came to: slots.parquet   tables  fallbacks, costs   analyze  whatever follows from the matches
"""

from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.kind import TOURNAMENT, CardTournament, read_games

__all__ = ["TOURNAMENT", "CardConfig", "CardTournament", "read_games"]
