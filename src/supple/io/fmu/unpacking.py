"""An FMU on disk: its archive unpacked with care, and its model description read.

Only the description, the library of this platform and the resources are unpacked, into a folder
that is removed afterwards. Paths that lead outside, links and archives that grow too large are
refused.
"""

from __future__ import annotations

import platform
import stat
import sys
import tempfile
import weakref
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree as ET

from supple.foundation.errors import FileError
from supple.foundation.input_files import existing
from supple.native import trust

BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, RuntimeError, ValueError)
LARGEST = 2**30  # bytes of all files that are unpacked
LARGEST_DESCRIPTION = 2**26
MOST_FILES = 20_000
SYSTEMS = {
    "linux": ("linux", ".so"),
    "darwin": ("darwin", ".dylib"),
    "win32": ("windows", ".dll"),
}
ENDING = SYSTEMS.get(sys.platform, ("", ".so"))[1]
OLD_SYSTEMS = {"linux": "linux64", "darwin": "darwin64", "windows": "win64"}
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


@dataclass(frozen=True)
class Port:
    """A variable of an FMU that numbers go in or out by."""

    name: str
    reference: int
    kind: str  # Real, Float64, Integer, ...
    causality: str
    array: bool


class Unpacked:
    """An FMU for co-simulation, unpacked.

    Attributes
    ----------
    name : of the file
    version : "2.0" or "3.0"
    token : GUID or instantiation token
    variables : by name
    library, resources : paths
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        existing(path, "an FMU")
        if why := trust.doubt(path):
            sentence = f"{why}, who could have put other code into it"
            raise self._wrong(f"{sentence}; copy it to a folder that only you can write")
        self._folder = tempfile.TemporaryDirectory(prefix="supple-fmu-")
        self._finalizer = weakref.finalize(self, self._folder.cleanup)
        folder = Path(self._folder.name)
        try:
            with zipfile.ZipFile(path) as archive:
                self._unpack(archive, folder)
        except FileError:
            raise
        except (*BROKEN, OSError) as error:
            why = " ".join(str(error).split())[:200]
            raise self._wrong(f"it cannot be unpacked ({why}), expected an FMU") from None
        self.resources = folder / "resources"
        self.resources.mkdir(exist_ok=True)
        self._describe(folder)

    def _wrong(self, sentence: str) -> FileError:
        return FileError(f"{self.name}: {sentence}")

    def close(self) -> None:
        """Remove the files."""
        self._finalizer()

    def _unpack(self, archive: zipfile.ZipFile, folder: Path) -> None:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > MOST_FILES:
            raise self._wrong(f"it has {len(entries)} files, expected few")
        wanted = []
        for entry in entries:
            self._refuse(entry)
            parts = PurePosixPath(entry.filename).parts
            if entry.filename == "modelDescription.xml":
                if entry.file_size > LARGEST_DESCRIPTION:
                    raise self._wrong("its model description is too large, expected 64 MB at most")
                wanted.append(entry)
            elif len(parts) > 2 and parts[0] == "binaries" and parts[1] in folders():
                wanted.append(entry)
            elif len(parts) > 1 and parts[0] == "resources":
                wanted.append(entry)
        if sum(entry.file_size for entry in wanted) > LARGEST:
            raise self._wrong(f"unpacked it is too large, expected {LARGEST >> 20} MB at most")
        for entry in wanted:  # no more than its stated size is read of any
            archive.extract(entry, folder)

    def _refuse(self, entry: zipfile.ZipInfo) -> None:
        """Refuse paths that lead outside, and what is no plain file."""
        name, parts = entry.filename, PurePosixPath(entry.filename).parts
        outside = not parts or name.startswith("/") or ".." in parts or "\\" in name or ":" in name
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if outside or len(parts) > 32 or kind not in (0, stat.S_IFREG):
            raise self._wrong(f"it has a file {name[:80]!r}, expected plain files")

    def _describe(self, folder: Path) -> None:
        """Read version, token, variables, and find the library."""
        place = folder / "modelDescription.xml"
        content = place.read_bytes() if place.is_file() else b""
        if not content or b"<!DOCTYPE" in content or b"\0" in content:
            raise self._wrong("it has no modelDescription.xml, expected one without a DOCTYPE")
        try:
            root = ET.fromstring(content)
        except ET.ParseError as error:
            raise self._wrong(f"its description is damaged ({error}), expected XML") from None
        given = root.get("fmiVersion", "")
        if given != "2.0" and not given.startswith("3.0"):
            raise self._wrong(f"its version of FMI is {given!r}, expected 2.0 or 3.0")
        self.version = given[:3]
        kind = root.find("CoSimulation")
        if kind is None:
            raise self._wrong("it has no CoSimulation, expected an FMU for it")
        self.token = root.get("guid" if self.version == "2.0" else "instantiationToken", "")
        identifier = kind.get("modelIdentifier", "")
        tries = [folder / "binaries" / name / f"{identifier}{ENDING}" for name in folders()]
        found = [path for path in tries if identifier.isidentifier() and path.is_file()]
        if not found:
            where = f"{platform.system()} {platform.machine()}"
            raise self._wrong(f"it has no library for {where}, expected one in binaries")
        self.library = found[0]
        try:
            listed = [self._variable(v) for v in root.findall("ModelVariables/*")]
        except (TypeError, ValueError, IndexError):
            sentence = "its list of variables is damaged, expected numbers and names"
            raise self._wrong(sentence) from None
        self.variables = {v.name: v for v in listed}

    def _variable(self, v: ET.Element) -> Port:
        kind = v[0].tag if self.version == "2.0" else v.tag
        array = v.find("Dimension") is not None
        reference = int(v.get("valueReference", ""))
        if not 0 <= reference < 2**32:
            raise ValueError
        return Port(v.get("name", ""), reference, kind, v.get("causality", "local"), array)


def folders() -> tuple[str, ...]:
    """Folders of binaries that may have the library of this platform."""
    system = SYSTEMS.get(sys.platform, ("unknown", ""))[0]
    machine = MACHINES.get(platform.machine().lower(), "unknown")
    old = (OLD_SYSTEMS[system],) if machine == "x86_64" and system in OLD_SYSTEMS else ()
    return (f"{machine}-{system}", *old)
