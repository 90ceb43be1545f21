"""Tests of `antemill.solver.evaluation`."""
