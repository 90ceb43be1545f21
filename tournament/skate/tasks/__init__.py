"""Kinds of questions (S14): what a setter is asked for, what makes a question valid, what its options are.

task      the protocol
output    what does this program print? (the paper's)
value     what is a generated card game worth at random play? Judged by the engine
solved    what is it worth if it is played well? Judged by the solver
ant       what happens in a small world whose rules the setter writes? Judged by the simulator
"""

from antemill.tournament.skate.tasks.task import Ask, Draft, InvalidQuestionError, Task

__all__ = ["Ask", "Draft", "InvalidQuestionError", "Task"]
