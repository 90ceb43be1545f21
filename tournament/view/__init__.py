"""`antemill view`: runs as a page on this machine, finished ones and those that are being played.

watch     one run, of which what has changed is read again
service   the runs together, and the documents of the page's programming interface
boards    the leaderboard over all runs
work      what takes long, in a process beside the server
guard     who may ask, and what every answer says of itself
app       the addresses
serve     from a port to its end
"""
