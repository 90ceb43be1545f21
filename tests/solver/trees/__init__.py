"""Tests of `antemill.solver.trees`."""
