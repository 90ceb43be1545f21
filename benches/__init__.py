"""How fast everything is (`make bench`), beside other systems, what games are like, and how often intervals hold."""
