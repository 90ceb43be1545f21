"""One player alone: what it loses to perfect play in solved games, always on the same cards.

Every player meets the equilibrium of each game of a suite in both seats. The equilibria are solved when the run begins
and kept with it, so a run can be repeated and its figures compared with those of other runs of the same suite.

config      [eval], [players.NAME]   suites  the games that are played
references  the equilibria, with their exploitability and each game's deviation
kind        the evaluation as a kind of runs: matches of the card tournament against the equilibrium, played and priced
plan        which matches and questions, in which order   materials  the pinned games with their equilibria
items       the matches in lists, in the terminal and in pages
losses      chips lost to perfect play, without luck   regrets  what single decisions give away
findings    both, of a run's folder   tables  its tables   scorecard  its results in one document
analyze     everything that follows from the matches   report  its page   pooled  players of several runs
compare     two players on the same cards
weak, weak_plan   opponents that can be beaten, and the matches against them
weak_game, gains  their strategies and best responses; what players gain   gain_tables  its tables
ask, whole        questions at every decision of small games, and the exploitability that follows   whole_tables
known             all that is computed of a run's games   mixing  what not being able to randomise costs
"""
