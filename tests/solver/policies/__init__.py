"""Tests of `antemill.solver.policies`."""
