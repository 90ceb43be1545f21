"""`python -m tournament.cli` is `antemill`."""

from tournament.cli.entry import main

main()
