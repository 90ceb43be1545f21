"""The virtual machine: programs, their state, and what drives it.

A program is rows of `opcodes`, a state lies as `layout` says, and `vm` plays up to the next question. `rollout` answers
questions at random, `lanes` hands those of many episodes at once to whoever drives them, `branches` tries every answer,
and `gate` counts what happens over many episodes.
"""
