"""A scene as binary glTF 2.0, for Blender and other programs: morph targets and one animation.

Each target is the field of one elastic coordinate at its largest amplitude, so that all weights are
between -1 and 1. The root turns the scene's upward direction to y, as glTF asks for.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.palette import rgb
from supple.foundation.poses import quaternions
from supple.visualization.scene import Scene, Thing

FLOAT, UNSIGNED = 5126, 5125
VERTICES, INDICES = 34962, 34963
LINES, TRIANGLES = 1, 4
MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942


class _Buffer:
    """The numbers of the file, and what describes them."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: Any, kind: str, target: int | None = None, limits: bool = False) -> int:
        """Keep an array (k, ...) and return the number of its accessor."""
        whole = target == INDICES
        data = np.ascontiguousarray(values, dtype="<u4" if whole else "<f4")
        if not whole:
            data = np.nan_to_num(data)  # of runs that failed
        content = data.tobytes()
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.size, "byteLength": len(content)}
        if target is not None:
            view["target"] = target
        accessor: dict[str, Any] = {
            "bufferView": len(self.views),
            "componentType": UNSIGNED if whole else FLOAT,
            "count": len(data),
            "type": kind,
        }
        if limits:
            rows = data.reshape(len(data), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.views.append(view)
        self.accessors.append(accessor)
        self.parts.append(content)
        self.size += len(content)
        return len(self.accessors) - 1


def glb(scene: Scene) -> bytes:
    """The content of a ``.glb`` file."""
    buffer = _Buffer()
    moving = np.concatenate([[True], np.diff(scene.t) > 0.0])  # times must grow
    times = (scene.t - scene.t[0])[moving]
    clock = buffer.add(times, "SCALAR", limits=True)
    meshes: list[dict[str, Any]] = []
    nodes: list[dict[str, Any]] = [{"name": scene.name, "rotation": _upright(scene.up)}]
    materials: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for one in scene.things:
        if not len(one.triangles) and not len(one.lines):
            continue
        sizes = np.abs(one.amplitudes - one.still).max(axis=0, initial=0.0)
        sizes[~(sizes > 0.0)] = 1.0
        materials.append(_material(one))
        meshes.append(_mesh(one, sizes, len(materials) - 1, buffer))
        tracks = {
            "translation": (one.p, "VEC3"),
            "rotation": (quaternions(one.R)[:, [1, 2, 3, 0]], "VEC4"),
        }
        if one.stretch is not None:
            tracks["scale"] = (one.stretch, "VEC3")
        node: dict[str, Any] = {"name": one.name, "mesh": len(meshes) - 1}
        node |= {path: np.nan_to_num(values[0]).tolist() for path, (values, _) in tracks.items()}
        if len(sizes):
            weights = ((one.amplitudes - one.still) / sizes)[moving].reshape(-1, 1)
            tracks["weights"] = (weights, "SCALAR")
        for path, (values, kind) in tracks.items():
            shown = values if path == "weights" else values[moving]
            found = buffer.add(shown.ravel() if kind == "SCALAR" else shown, kind)
            samplers.append({"input": clock, "output": found, "interpolation": "LINEAR"})
            target = {"node": len(nodes), "path": path}
            channels.append({"sampler": len(samplers) - 1, "target": target})
        nodes.append(node)
    nodes[0]["children"] = list(range(1, len(nodes)))
    document = {
        "asset": {"version": "2.0", "generator": "supple"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.size}],
    }
    if len(times) > 1:
        document["animations"] = [{"name": "run", "samplers": samplers, "channels": channels}]
    return _packed(json.dumps(document, allow_nan=False).encode(), b"".join(buffer.parts))


def _packed(text: bytes, numbers: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    numbers += b"\0" * (-len(numbers) % 4)
    head = struct.pack("<III", MAGIC, 2, 12 + 8 + len(text) + 8 + len(numbers))
    first, second = (
        struct.pack("<II", len(c), kind) + c
        for c, kind in ((text, JSON_CHUNK), (numbers, BINARY_CHUNK))
    )
    return head + first + second


def _mesh(one: Thing, sizes: Array, material: int, buffer: _Buffer) -> dict[str, Any]:
    rest = one.points + np.einsum("k,kvi->vi", one.still, one.fields)
    shared: dict[str, Any] = {
        "attributes": {"POSITION": buffer.add(rest, "VEC3", VERTICES, limits=True)},
        "material": material,
    }
    if len(sizes):
        shared["targets"] = [
            {"POSITION": buffer.add(size * field, "VEC3", VERTICES, limits=True)}
            for size, field in zip(sizes, one.fields, strict=True)
        ]
    primitives = []
    if len(one.triangles):
        attributes = shared["attributes"] | {"NORMAL": buffer.add(_normals(one), "VEC3", VERTICES)}
        faces = buffer.add(one.triangles.ravel(), "SCALAR", INDICES)
        primitives.append({**shared, "attributes": attributes, "indices": faces, "mode": TRIANGLES})
    else:  # lines of bodies with a surface would only hide in it
        lines = buffer.add(one.lines.ravel(), "SCALAR", INDICES)
        primitives.append({**shared, "indices": lines, "mode": LINES})
    mesh: dict[str, Any] = {"name": one.name, "primitives": primitives}
    if len(sizes):
        mesh["weights"] = ((one.amplitudes[0] - one.still) / sizes).tolist()
    return mesh


def _normals(one: Thing) -> Array:
    """Unit normals; vertices of lines alone have any."""
    size = np.linalg.norm(one.normals, axis=1, keepdims=True)
    return np.where(size > 0.5, one.normals / np.where(size > 0.5, size, 1.0), [0.0, 0.0, 1.0])


def _material(one: Thing) -> dict[str, Any]:
    colour = [part**2.2 for part in rgb(one.colour)]
    found: dict[str, Any] = {
        "name": one.name,
        "doubleSided": True,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*colour, one.opacity],
            "metallicFactor": 0.1,
            "roughnessFactor": 0.55,
        },
    }
    return found | ({"alphaMode": "BLEND"} if one.opacity < 1.0 else {})


def _upright(up: Array) -> list[float]:
    """Quaternion (x, y, z, w) that turns a direction (3,) to y."""
    x, y, z = (float(c) for c in up)
    if y < -1.0 + 1e-9:
        return [1.0, 0.0, 0.0, 0.0]
    found = np.array([-z, 0.0, x, 1.0 + y])  # up x y, 1 + up . y
    return [float(c) for c in found / np.linalg.norm(found)]
