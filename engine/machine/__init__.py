"""The virtual machine: programs, their state, and what drives it.

A program is rows of `opcodes`, a state lies as `layout` says, and `vm` plays up to the next question. `rollout` answers
questions at random, `lanes` passes those of many episodes together to a driver outside, `branches` tries every answer,
and `gate` counts what happens over many episodes.
"""
