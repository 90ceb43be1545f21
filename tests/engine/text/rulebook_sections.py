"""Taking rulebooks apart for the tests."""

from __future__ import annotations

import re

_HEADING = re.compile(r"^#{3,4} (?:Sub-phase: )?(.+)$")
CALLED = re.compile(r"called from ((?:\*\*.+?\*\*(?:, | and )?)+)")


def top_sections(text: str) -> dict[str, str]:
    """The sections of the second level, by title, with the heading left out."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def phase_sections(text: str) -> dict[str, str]:
    """The sections of the phases, by name, with the heading left out."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in top_sections(text)["Phase Details"].splitlines():
        if heading := _HEADING.match(line):
            assert heading[1] not in found, f"two sections for {heading[1]}"
            lines = found[heading[1]] = []
        else:
            lines.append(line)
    return {name: "\n".join(section).strip() for name, section in found.items()}


def bold_names(text: str) -> list[str]:
    """Everything between double asterisks, in order."""
    return re.findall(r"\*\*(.+?)\*\*", text)
