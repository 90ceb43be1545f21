"""Tests. `naive` is the reference that they compare with; it shares no code with what it checks."""
