"""The JSON Schema of model files, from the same table that they are read by.

Editors complete and check keys with it. Meaning (a positive mass, a joint that exists) is checked
by the constructors when a file is read, and nowhere else.
"""

from __future__ import annotations

import inspect
from typing import Any

from supple.events import Event
from supple.io.modelfiles import places
from supple.io.modelfiles.kinds import Kind
from supple.io.modelfiles.parts import OF_A_MODEL, VERSION
from supple.io.modelfiles.words import (
    COUNT,
    ITEMS,
    TYPE,
    VALUES,
    Units,
    Word,
    choices,
    simulate_word,
    simulation,
    units_of,
    values_of,
    words,
)

Schema = dict[str, Any]
_NUMBER: Schema = {"anyOf": [{"type": "number"}, {"type": "string"}]}  # a text has a unit
_COUNT: Schema = {
    "description": "How often it is repeated; {i} in names is the number of each.",
    "anyOf": [
        {"type": "integer"},
        {"type": "string"},
        {"type": "object", "required": ["from", "to"]},
    ],
}


def schema() -> Schema:
    """The JSON Schema (draft 2020-12) of model files."""
    properties: Schema = {key: {} for key in OF_A_MODEL}
    properties["supple"] = {"const": VERSION, "description": "Version of the format."}
    for key in ("name", "description"):
        properties[key] = {"type": "string"}
    properties["gravity"] = {"$ref": "#/$defs/numbers", "description": "Of gravity (3,), m/s2."}
    properties["parameters"] = {"type": "object", "additionalProperties": _NUMBER}
    properties["include"] = _include()
    properties["frames"] = _named({"$ref": "#/$defs/place"})
    for group in VALUES:
        properties[group] = _named(_one_of(values_of(group)))
    for group, classes in (*ITEMS.items(), ("events", (Event,))):
        properties[group] = _named(_one_of(classes, item=True))
    simulated = simulate_word()
    properties["simulation"] = {
        "type": "object",
        "properties": {n: _argument(simulated, n, a.kind) for n, a in simulation().items()},
        "additionalProperties": False,
    }
    what = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    properties["outputs"] = {
        "type": "object",
        "properties": {
            "save": {"type": "string"},
            "plots": {"type": "object", "additionalProperties": what},
        },
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Supple model file",
        "type": "object",
        "required": ["supple"],
        "properties": properties,
        "additionalProperties": False,
        "$defs": _definitions(),
    }


def _include() -> Schema:
    one: Schema = {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "required": ["file"],
                "properties": {
                    "file": {"type": "string"},
                    "prefix": {"type": "string"},
                    "with": {"type": "object", "additionalProperties": _NUMBER},
                    COUNT: _COUNT,
                },
                "additionalProperties": False,
            },
        ]
    }
    return {"anyOf": [one, {"type": "array", "items": one}]}


def _named(value: Schema) -> Schema:
    return {"type": ["object", "null"], "additionalProperties": value}


def _definitions() -> Schema:
    numbers: Schema = {"anyOf": [_NUMBER, {"type": "array", "items": {"$ref": "#/$defs/numbers"}}]}
    place: Schema = {
        "description": "A place on a body: rod at 0.5, [rod, 0.5, 0, 0], {body: rod, x: 0.5}.",
        "anyOf": [
            {"type": "string"},
            {"type": "array", "minItems": 2, "maxItems": 4},
            {
                "type": "object",
                "required": ["body"],
                "properties": {key: {} for key in places.KEYS},
                "additionalProperties": False,
            },
        ],
    }
    found: Schema = {"numbers": numbers, "place": place}
    for name, word in words().items():
        if word.function is None:
            found[name] = _word(word, item=False)
            if "name" in word.arguments:
                found[f"{name} by name"] = _word(word, item=True)
    return found


def _word(word: Word, item: bool) -> Schema:
    """The mapping that stands for an object; of an item, the name is its key."""
    known = {n: a for n, a in word.arguments.items() if not (item and n == "name")}
    properties: Schema = {TYPE: {"const": word.name}}
    properties |= {name: _argument(word, name, a.kind) for name, a in known.items()}
    properties |= {COUNT: _COUNT} if item else {}
    needed = [
        n for n, a in known.items() if a.required and (word.name, n) != ("Interface", "place")
    ]
    return {
        "type": "object",
        "description": (inspect.getdoc(word.make) or "").split("\n\n")[0],
        "properties": properties,
        "required": needed,
        "additionalProperties": False,
    }


def _one_of(classes: tuple[type, ...], item: bool = False) -> Schema:
    known = {n: w for n, w in choices(classes).items() if w.function is None}
    end = " by name" if item else ""
    refs = [
        {"$ref": f"#/$defs/{n}{end if 'name' in w.arguments else ''}"} for n, w in known.items()
    ]
    makers = [w for w in known.values() if isinstance(w.make, type)]
    if len(makers) == 1 and len(refs) == 1:
        return refs[0]
    typed = [{**ref, "required": [TYPE]} for ref in refs]
    return {"anyOf": typed, "required": [TYPE], "properties": {TYPE: {"enum": sorted(known)}}}


def _argument(word: Word, name: str, kind: Kind) -> Schema:
    found = _kind(kind)
    units: Units = units_of(word, name)
    if units and units != ("*",):
        found = {**found, "description": f"In {' or '.join(units)}, or with a unit."}
    return found


def _kind(kind: Kind) -> Schema:
    """Schema of the values that may stand in a field."""
    if kind.anything:
        return {}
    options: list[Schema] = []
    if kind.words:
        options.append({"enum": list(kind.words)})
    if kind.frame:
        options.append({"$ref": "#/$defs/place"})
    if kind.array:
        options.append({"$ref": "#/$defs/numbers"})
    elif kind.number or kind.integer:
        options.append({"type": "number" if kind.number else "integer"})
    if kind.truth:
        options.append({"type": "boolean"})
    if kind.nothing:
        options.append({"type": "null"})
    texts = (kind.text, kind.item, kind.path, kind.body, kind.classes, kind.number, kind.integer)
    if any(texts):
        options.append({"type": "string"})
    if kind.entry is not None:
        options.append({"type": "array", "items": _kind(kind.entry)})
    for row in kind.rows:
        rows = [_kind(k) for k in row]
        size = {"minItems": len(rows), "maxItems": len(rows)}
        options.append({"type": "array", "prefixItems": rows, **size})
    if kind.values is not None:
        options.append({"type": "object", "additionalProperties": _kind(kind.values)})
    if kind.classes:
        options.append(_one_of(kind.classes))
    return options[0] if len(options) == 1 else {"anyOf": options}
