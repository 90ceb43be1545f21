"""The virtual machine: programs, their state, and what drives it.

A program is rows of `opcodes`, `layout` lays out a state, and `vm` plays up to the next question. `rollout` answers
questions by policies, `lanes` passes the questions of many episodes together to an outside driver, `branches` tries
every answer, and `gate` counts events over many episodes.
"""
