"""The list of the axes. The columns of files, tables, figures and pages, and the command line, follow its order.

A new axis is a module with an `Axis`, its line here, and its tests. It changes the schema of scores and of benchmarks.
"""

from collections.abc import Mapping
from types import MappingProxyType

from antemill.axes import brittleness, information_sensitivity, opponent_modeling, risk, state_space, temporal_depth
from antemill.axes.axis import Axis

_ALL = (
    state_space.AXIS,
    temporal_depth.AXIS,
    information_sensitivity.AXIS,
    opponent_modeling.AXIS,
    risk.AXIS,
    brittleness.AXIS,
)
AXES: Mapping[str, Axis] = MappingProxyType({axis.name: axis for axis in _ALL})  # by name
