"""Tests of the instructions."""
