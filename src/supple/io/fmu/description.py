"""The model description of an FMU: its XML, version 2.0 or 3.0, and a page about it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from supple.io.fmu.ports import Variable

# Exponents of kg, m, s, rad
UNITS: dict[str, dict[str, int]] = {
    "s": {"s": 1},
    "m": {"m": 1},
    "rad": {"rad": 1},
    "m/s": {"m": 1, "s": -1},
    "rad/s": {"rad": 1, "s": -1},
    "1/s": {"s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad/s2": {"rad": 1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N m": {"kg": 1, "m": 2, "s": -2},
}


@dataclass(frozen=True)
class Description:
    """Description of an FMU.

    Attributes
    ----------
    name, identifier : of the model, as text and as a name in C
    token : GUID or instantiation token
    kinds : "co-simulation", "model-exchange"
    variables : in the order of their value references
    start, stop : s, of the default experiment
    tolerance : relative
    tool : the program and its version
    """

    name: str
    identifier: str
    token: str
    kinds: tuple[str, ...]
    variables: Sequence[Variable]
    start: float
    stop: float
    tolerance: float
    tool: str

    def xml(self, version: str) -> bytes:
        """The file modelDescription.xml."""
        root = self._second() if version == "2.0" else self._third()
        ET.indent(root)
        text: bytes = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
        return text + b"\n"

    def _of(self, causality: str) -> list[Variable]:
        return [v for v in self.variables if v.causality == causality]

    @property
    def _rates(self) -> list[Variable]:
        return [v for v in self.variables if v.of is not None]

    def _head(self, version: str, token: str) -> ET.Element:
        root = ET.Element("fmiModelDescription", fmiVersion=version, modelName=self.name)
        root.set(token, self.token)
        root.set("generationTool", self.tool)
        root.set("variableNamingConvention", "flat")
        return root

    def _around(self, root: ET.Element) -> None:
        """Units, categories of messages and the default experiment."""
        units = ET.SubElement(root, "UnitDefinitions")
        for unit in sorted({v.unit for v in self.variables} - {""}):
            base = {name: str(power) for name, power in UNITS[unit].items()}
            ET.SubElement(ET.SubElement(units, "Unit", name=unit), "BaseUnit", base)
        categories = ET.SubElement(root, "LogCategories")
        for name in ("logStatusWarning", "logStatusError"):
            ET.SubElement(categories, "Category", name=name)
        experiment = ET.SubElement(root, "DefaultExperiment", startTime=repr(self.start))
        experiment.set("stopTime", repr(self.stop))
        experiment.set("tolerance", repr(self.tolerance))

    def _second(self) -> ET.Element:
        root = self._head("2.0", "guid")
        root.set("numberOfEventIndicators", "0")
        both = {
            "modelIdentifier": self.identifier,
            "canNotUseMemoryManagementFunctions": "true",
            "canGetAndSetFMUstate": "true",
            "canSerializeFMUstate": "true",
        }
        self._interfaces(root, both, {"completedIntegratorStepNotNeeded": "true"})
        self._around(root)
        listed = ET.SubElement(root, "ModelVariables")
        for v in self.variables:
            kept = _attributes(v)
            of = None if v.of is None else str(v.of + 1)  # places count from one
            real = self._numbers(v) | ({} if of is None else {"derivative": of})
            ET.SubElement(ET.SubElement(listed, "ScalarVariable", kept), "Real", real)
        self._structure(root)
        return root

    def _interfaces(self, root: ET.Element, both: dict[str, str], exchange: dict[str, str]) -> None:
        """The kinds of the FMU, with what both can do and what one of them needs."""
        if "model-exchange" in self.kinds:
            ET.SubElement(root, "ModelExchange", both | exchange)
        if "co-simulation" in self.kinds:
            own = {"canHandleVariableCommunicationStepSize": "true"}
            ET.SubElement(root, "CoSimulation", both | own)

    def _structure(self, root: ET.Element) -> None:
        """Outputs, which follow states and not inputs; rates of states; what is computed first."""
        structure = ET.SubElement(root, "ModelStructure")
        states = " ".join(str(v.of + 1) for v in self._rates if v.of is not None)
        for tag, found in (("Outputs", self._of("output")), ("Derivatives", self._rates)):
            if found:
                group = ET.SubElement(structure, tag)
                for v in found:
                    known = {"dependencies": states} if tag == "Outputs" and self._rates else {}
                    ET.SubElement(group, "Unknown", known, index=str(v.reference + 1))
        first = self._of("output") + self._rates
        if first:
            group = ET.SubElement(structure, "InitialUnknowns")
            for v in first:
                ET.SubElement(group, "Unknown", index=str(v.reference + 1))

    def _third(self) -> ET.Element:
        root = self._head("3.0", "instantiationToken")
        both = {
            "modelIdentifier": self.identifier,
            "canGetAndSetFMUState": "true",
            "canSerializeFMUState": "true",
        }
        self._interfaces(root, both, {"needsCompletedIntegratorStep": "false"})
        self._around(root)
        listed = ET.SubElement(root, "ModelVariables")
        for v in self.variables:
            kept = _attributes(v)
            of = {} if v.of is None else {"derivative": str(v.of)}
            ET.SubElement(listed, "Float64", kept | self._numbers(v) | of)
        structure = ET.SubElement(root, "ModelStructure")
        states = " ".join(str(v.of) for v in self._rates)
        for v in self._of("output"):
            known = {"dependencies": states} if self._rates else {}
            ET.SubElement(structure, "Output", known, valueReference=str(v.reference))
        for v in self._rates:
            ET.SubElement(structure, "ContinuousStateDerivative", valueReference=str(v.reference))
        for v in self._of("output") + self._rates:
            ET.SubElement(structure, "InitialUnknown", valueReference=str(v.reference))
        return root

    @staticmethod
    def _numbers(v: Variable) -> dict[str, str]:
        found = {"unit": v.unit} if v.unit else {}
        if v.nominal != 1.0:
            found["nominal"] = repr(v.nominal)
        return found if v.start is None else found | {"start": repr(v.start)}

    def page(self) -> bytes:
        """The page documentation/index.html."""
        rows = [
            f"<tr><td>{html.escape(v.name)}</td><td>{v.causality}</td><td>{v.unit}</td></tr>"
            for v in self.variables
        ]
        text = (
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f"<title>{html.escape(self.name)}</title></head><body>",
            f"<h1>{html.escape(self.name)}</h1>",
            f"<p>A multibody model, exported by {self.tool} for {' and '.join(self.kinds)}. Inputs "
            "are constant over a step of co-simulation. States can be set before and in "
            "initialization; they are then moved onto the constraints.</p>",
            "<table><tr><th>Variable</th><th>Causality</th><th>Unit</th></tr>",
            *rows,
            "</table></body></html>",
        )
        return "\n".join(text).encode() + b"\n"


def _attributes(v: Variable) -> dict[str, str]:
    """Attributes of a variable in both versions."""
    found = {"name": v.name, "valueReference": str(v.reference), "causality": v.causality}
    found["variability"] = "continuous"
    if v.causality == "output" or v.of is not None:
        found["initial"] = "calculated"
    elif v.causality == "local":
        found["initial"] = "exact"
    return found
