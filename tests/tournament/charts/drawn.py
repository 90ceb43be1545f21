"""What a panel or a file shows, read back from its XML."""

import re
from xml.etree import ElementTree

from antemill.tournament.charts.chart import Panel, inline

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def parsed(panel: Panel) -> ElementTree.Element:
    return ElementTree.fromstring(inline(panel))


def elements(panel: Panel, tag: str, kind: str = "") -> list[ElementTree.Element]:
    """Elements with a class, in their order."""
    return [one for one in parsed(panel).iter(tag) if not kind or kind in one.get("class", "").split()]


def texts(panel: Panel, kind: str = "") -> list[str]:
    return [one.text or "" for one in elements(panel, "text", kind)]


def inside(panel: Panel) -> bool:
    """Whether all points, bars and texts begin within the panel."""
    for one in parsed(panel).iter():
        for name, most in (("cx", panel.width), ("x", panel.width), ("cy", panel.height), ("y", panel.height)):
            value = one.get(name)
            if value is not None and "transform" not in one.attrib and not -1.0 <= float(value) <= most + 1.0:
                return False
    return True
