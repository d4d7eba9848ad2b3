"""A process that compiles: reads names of entries line by line, answers each with a line of JSON.

Started by ``build.py``. It ends when its input ends, at once even if it is compiling: a build that
is killed leaves nothing running.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import threading
import time
import traceback
from typing import Any

from supple.native import systems


def _read(names: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        if not line.strip():  # no more names: finish, then end
            names.put("")
        else:
            names.put(line.strip())
    os._exit(1)


def main() -> None:
    """Compile what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cpus", nargs="+", help="kinds of processor, best first")
    o = parser.parse_args()
    names: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(names,), daemon=True).start()
    known = systems.baselines()
    first = known[0] if set(o.cpus) <= set(known) else o.cpus[0]
    if first != "native":  # Numba reads this when it is imported
        os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = first, ""
    # Numba raises and catches errors all the time: their sentences need no colours
    os.environ["NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"] = "1"
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what compilers print is no answer

    from supple.native import build, cache, compiler, declare, fingerprint, trust

    entries = declare.all_entries()
    folders = [build.object_folder(cpu) for cpu in o.cpus]
    inner = cache.folder_within(folders[0] / f"inner-{fingerprint.tuples()}")
    for path in inner.glob("*"):
        if not trust.usable(path):
            path.unlink()
    compiler.prepare(inner, o.cpus)
    while name := names.get():
        start = time.process_time()
        row: dict[str, Any] = {"name": name}
        try:
            codes, gives = compiler.compile_object(entries[name], o.cpus)
            for folder, code in zip(folders, codes, strict=True):
                cache.write(folder / build.object_name(entries[name], gives), code)
            row |= {"gives": gives, "seconds": time.process_time() - start}
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {error}"
            traceback.print_exc()
        print(json.dumps(row), file=answers, flush=True)
    os._exit(0)
