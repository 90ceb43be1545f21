"""Procedurally generated two-player betting card games, and the bench on which language models are ranked by them."""
