"""Tests of `solver.evaluation`."""
