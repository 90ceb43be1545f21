"""Tests of `solver.algorithms`."""
