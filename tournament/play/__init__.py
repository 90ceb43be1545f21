"""`antemill play`: a table in the browser, at which a person plays against bots, policies and models.

games      which games there are to choose from: by name, by seed, by their place among the axes   (selection.json)
opponents  who can sit opposite, and what is known of how they play
hand       one hand: the person's choices, the opponent's moves
kept       the folder of hands: a card tournament whose schedule is open
coach      what the solver says to a hand, and the hand without its luck
tally      the running score against one opponent in one game
table      a game, an opponent, a hand and the score
house      who sits where: the state that the page shows, and what the page can do   (work: what it has going on)
asking     the models
server     the house over HTTP, for this machine alone   (page.py, play.js, play.css: the page)
"""
