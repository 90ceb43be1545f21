"""Studies that were done once: what was asked, what was found, how to run it again (README.md)."""
