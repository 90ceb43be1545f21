"""Benchmarks (`make bench`), and the figures of the documentation's pages."""
