"""Benchmarks (`make bench`), and the numbers of the README (`python -m benches.readme`)."""
