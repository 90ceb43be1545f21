"""Tests of `antemill.solver.algorithms`."""
