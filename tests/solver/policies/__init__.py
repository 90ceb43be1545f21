"""Tests of `solver.policies`."""
