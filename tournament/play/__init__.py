"""`antemill play`: a table in the browser, at which a person plays against bots, policies and models.

games      the games to choose from: by name, by seed, by their place among the axes   (selection.json)
opponents  the possible opponents, and what is known of their play
hand       one hand: the person's choices, the opponent's moves
kept       the folder of hands: a card tournament whose schedule is open
coach      the solver's review of a hand, and its result without luck
tally      the running score against one opponent in one game
table      a game, an opponent, a hand and the score
house      the state that the page shows, and the actions of the page (background: its tasks in progress)
asking     the models
server     the house over HTTP, reachable from this machine only   (page.py, play.js, play.css: the page)
"""
