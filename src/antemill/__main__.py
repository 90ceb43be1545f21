"""`python -m antemill` is `antemill`."""

from antemill.tournament.cli.entry import main

main()
