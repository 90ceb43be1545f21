"""Tests of `solver.trees`."""
