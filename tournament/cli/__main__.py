"""`python -m antemill.tournament.cli` is `antemill`."""

from antemill.tournament.cli.entry import main

main()
