"""A spec as written, without its names: its JSON with a number for each name.

Phases, variables, suits and texts are numbered by their first appearance. The options of a round are numbered from 0 in
every round. Lists that only declare names shrink to their length. The patterns match nothing inside a string, since
JSON puts a backslash before a quotation mark there.
"""

from __future__ import annotations

import re

from antemill.engine.rules.spec import GameSpec, to_json

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_NAMES = re.compile(
    rf'"(?:type":"([a-z-]+)","name":({_STRING})'  # a phase
    rf'|name":{_STRING}'  # the game, an option
    rf'|(phase|counter|variable|suit|text|alice|bob)":({_STRING})'
    rf'|(rounds|sequence|variables|suits|alice_options|bob_options)":\[((?:{_STRING},?)*)\])'
)
_EACH = re.compile(_STRING)
_KINDS = {
    **{"rounds": "phase", "sequence": "phase", "counter": "variable", "variables": "variable", "suits": "suit"},
    **{"alice_options": "alice", "bob_options": "bob"},
}


def nameless(spec: GameSpec) -> str:
    """The spec as JSON without names of the game, phases, variables, options, suits and texts."""
    numbers: dict[str, dict[str, int]] = {}

    def number(field: str, name: str) -> str:
        known = numbers.setdefault(_KINDS.get(field, field), {})
        return str(known.setdefault(name, len(known)))

    def replace(match: re.Match[str]) -> str:
        kind, phase, field, name, listed, names = match.groups()
        if kind:
            return f'"type":"{kind}","name":{number("phase", phase)}'
        if field:
            return f'"{field}":{number(field, name)}'
        if not listed:
            return '"name":0'
        if listed in ("alice_options", "bob_options"):
            numbers.pop(_KINDS[listed], None)
        return f'"{listed}":[{",".join(number(listed, each) for each in _EACH.findall(names))}]'

    return _NAMES.sub(replace, to_json(spec).decode())
