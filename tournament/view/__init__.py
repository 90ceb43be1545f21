"""`antemill view`: runs as a page on this machine, finished ones and those that are being played.

watch     one run, whose changes are read as they happen
service   the runs together, and the documents of the page's programming interface
workshop  what takes long, in a process beside the server
guard     which requests are answered, and the headers of every answer
home      the pages of the server
app       the addresses
serve     from a port to its end
"""
