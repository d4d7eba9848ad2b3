"""Files are written whole or not at all: a full disk or a killed process harms no earlier file.

The content is made in memory, written to a file beside the wanted one, and takes its name when all
of it is on the disk.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.foundation.errors import FileError
from supple.foundation.input_files import path_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_NAME = 400  # of a file in a sentence


def write_whole(path: str | Path, content: bytes | memoryview) -> Path:
    """Write a file and return its path; on failure an earlier file of that name is untouched."""
    path = check_target(path)
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_bytes(content)
        else:
            _replace(path.resolve(), content)  # a link stays one
    except OSError as error:
        earlier = ", the earlier file is untouched" if path.is_file() else ""
        reason = error.strerror or str(error)
        failure = FileError(f"{_named(path)} cannot be written: {reason}{earlier}")
        failure.errno = error.errno
        raise failure from error
    return path


def check_target(path: str | Path) -> Path:
    """The path of a file to be written; folders, and paths in none that is there, are refused."""
    path = path_of("a file to be written", "path", path)
    try:
        folder = path.is_dir()
    except OSError as error:  # a name that is too long, links in a circle
        reason = error.strerror or str(error)
        raise FileError(f"{_named(path)} cannot be written: {reason}, expected another") from error
    if folder:
        raise FileError(f"{_named(path)} cannot be written: it is a folder, expected a file's path")
    if not path.parent.is_dir():
        where = f"there is no folder {str(path.parent)!r}"
        raise FileError(f"{_named(path)} cannot be written: {where}, expected it to exist")
    return path


def make_folder(path: Path) -> Path:
    """Make a folder, with those it is in, unless it is there; return its path."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise FileError(f"the folder {str(path)!r} cannot be made: {why}") from error
    return path


def _named(path: Path) -> str:
    text = str(path)
    return f"the file {text if len(text) < LONGEST_NAME else text[:LONGEST_NAME] + ' ...'!r}"


def _replace(path: Path, content: bytes | memoryview) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, name)
        else:  # what an ordinary new file gets
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def save_figure(figure: Figure, path: str | Path | None, **options: Any) -> Figure:
    """Write a figure in the format of the path's ending (PNG without one), unless it is None.

    Names in it are drawn as they are written, whether there is a path or not.
    """
    draw_literally(figure)
    if path is not None:
        path, ending = check_picture(path)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=ending, dpi=150, **options)
        write_whole(path, buffer.getbuffer())
    return figure


def draw_literally(figure: Figure) -> None:
    """Let texts of a figure be no formulas: a name may have dollar signs.

    Numbers at axes stay as Matplotlib writes them.
    """
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter

    numbers: set[Any] = set()
    for ax in figure.axes:
        for axis in ax._axis_map.values():
            numbers |= {axis.offsetText, *axis.findobj(Text)} - {axis.label}
            names = axis.get_major_formatter()
            if isinstance(names, FixedFormatter):
                names.seq = [str(name).replace("$", r"\$") for name in names.seq]
    for text in figure.findobj(Text):
        if text not in numbers:
            text.set_parse_math(False)


def check_picture(path: str | Path) -> tuple[Path, str]:
    """The path of a picture to be written, with its ending, and that; unknown ones are refused."""
    from matplotlib.backend_bases import FigureCanvasBase

    path = path_of("a file to be written", "path", path)
    ending, known = path.suffix[1:].lower(), FigureCanvasBase.get_supported_filetypes()
    if not ending:
        return path.with_name(f"{path.name}.png"), "png"
    if ending not in known:
        kinds = ", ".join(sorted(known))
        raise FileError(f"{_named(path)} cannot be written: its ending is none of {kinds}")
    return path, ending
