"""Kinds of questions (S14): what a setter is asked for, what makes a question valid, what its options are.

task    the protocol
output  what does this program print? (the paper's)
games   what is a generated card game worth if it is played well? Judged by the solver
"""

from antemill.tournament.skate.tasks.task import Ask, Draft, InvalidQuestionError, Task

__all__ = ["Ask", "Draft", "InvalidQuestionError", "Task"]
