"""One player alone: what it loses to perfect play in solved games, always on the same cards.

Every player meets the equilibrium of each game of a suite in both seats. The equilibria are solved when the run begins
and kept with it, so a run can be repeated and its figures compared with those of other runs of the same suite.

config      [eval], [players.NAME]   suites  the games that are played
references  the equilibria, with their exploitability and each game's deviation
kind        the evaluation as a kind of runs: matches of the card tournament against the equilibrium
materials   the pinned games with their equilibria   items  the matches and questions
ask, whole  questions at every decision of small games, and the exploitability that follows   whole_tables
game_tree, known  the trees of a run's games, and the players' policies on them
losses      chips lost to perfect play, without luck   regrets  what single decisions give away
findings    both, of some runs   tables  their tables   headline  who loses least   scorecard  all in one document
compare     two players on the same cards
"""
