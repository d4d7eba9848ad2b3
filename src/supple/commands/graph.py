"""``supple graph``: bodies, joints, spanning tree, chords and loops of a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supple.commands.answers import PICTURES, expect_apart, expect_place, print_json
from supple.commands.sources import Json, model_file

if TYPE_CHECKING:
    from supple.graph.topology import Graph
    from supple.model import Model


def graph(
    file: Annotated[Path, typer.Argument(help="A model file.")],
    out: Annotated[
        Path | None, typer.Option(help="Picture of the linear graph: .png, .svg or .pdf.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show bodies, joints, the spanning tree, its chords and the loops they close."""
    if out is not None:
        expect_place(out, PICTURES)
    expect_apart(file, out=out)
    found = model_file(file).model
    answer = described(found)
    if out is not None:
        found.graph().draw(out)
        answer["picture"] = out
    if as_json:
        print_json(answer)
    else:
        typer.echo(text(answer))


def described(model: Model) -> dict[str, Any]:
    """The graph of bodies and joints in words of Python."""
    tree = model.spanning_tree()
    inboard = {edge.joint: edge for edge in tree.tree}
    return {
        "model": model.name,
        "bodies": [{"name": n, "kind": type(model[n]).__name__} for n in model.bodies],
        "joints": [
            {
                "name": name,
                "kind": type(joint).__name__,
                "A": joint.A.body.name,
                "B": joint.B.body.name,
                "velocities": joint.nu,
                "in_tree": name in inboard,
                "reversed": name in inboard and inboard[name].reversed,
            }
            for name, joint in model.joints.items()
        ],
        "root": tree.root,
        "tree": [
            {"joint": e.joint, "parent": e.parent, "child": e.child, "reversed": e.reversed}
            for e in tree.tree
        ],
        "chords": list(tree.chords),
        "loops": [_loop(model, tree, chord) for chord in tree.chords],
        "constraints": list(model.constraints),
        "unreached": list(tree.unreached),
    }


def _loop(model: Model, tree: Graph, chord: str) -> dict[str, Any]:
    """The joints around the loop that a chord closes; none where its bodies hang on nothing."""
    joint = model.joints[chord]
    ends = joint.A.body.name, joint.B.body.name
    lost = any(name in tree.unreached for name in ends)
    return {"closed_by": chord, "joints": [] if lost else list(tree.path(*ends))}


def text(answer: dict[str, Any]) -> str:
    """Return the answer for readers: the tree with its branches, then chords and loops."""
    joints = {j["name"]: j for j in answer["joints"]}
    kinds = {b["name"]: b["kind"] for b in answer["bodies"]}
    lines = [
        f"Model '{answer['model']}': {len(answer['bodies'])} bodies, {len(joints)} joints, "
        f"{len(answer['chords'])} chords",
        f"  {answer['root']}",
        *_branches(answer, joints, kinds),
    ]
    for loop in answer["loops"]:
        j = joints[loop["closed_by"]]
        around = ", ".join((j["name"], *loop["joints"]))
        lines.append(f"  chord      {j['name']} ({j['kind']}) between {j['A']} and {j['B']}")
        lines.append(f"  loop       {around}")
    if answer["constraints"]:
        lines.append(f"  relations  {', '.join(answer['constraints'])}")
    if answer["unreached"]:
        lines.append(f"  unreached  {', '.join(answer['unreached'])}: no path to the ground")
    if "picture" in answer:
        lines.append(f"  written    {answer['picture']}")
    return "\n".join(lines)


def _branches(answer: dict[str, Any], joints: dict[str, Any], kinds: dict[str, str]) -> list[str]:
    """One line for each branch of the tree, further in than that of its parent."""
    depth, lines = {answer["root"]: 1}, []
    for edge in answer["tree"]:  # parents come before children
        level = depth[edge["child"]] = depth[edge["parent"]] + 1
        joint = joints[edge["joint"]]
        backwards = ", from B to A" if edge["reversed"] else ""
        lines.append(
            f"{'  ' * level}- {edge['joint']} ({joint['kind']}, {joint['velocities']}{backwards})"
            f" -> {edge['child']} ({kinds[edge['child']]})"
        )
    return lines
