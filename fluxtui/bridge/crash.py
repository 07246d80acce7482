"""When the program itself fails: the details go to a file, a person gets a sentence."""

import os
import tempfile
import traceback
from datetime import datetime
from pathlib import Path


def report(shape: str, requires: str) -> str:
    """Write the exception being handled to a log, and give the sentence for the person.

    shape and requires are what was typed; they come back in the sentence, so nothing is lost.
    """
    lines = ["fluxtui stopped because of a fault of its own. What you had typed:", ""]
    lines += [f"  shape     {shape}", f"  requires  {requires}", ""]
    path = _write(traceback.format_exc())
    lines.append(f"The details are in {path}." if path else "The details could not be written.")
    return "\n".join(lines)


def _write(details: str) -> Path | None:
    from platformdirs import user_state_path

    for folder in (user_state_path("fluxtui", appauthor=False), Path(tempfile.gettempdir())):
        path = folder / "fluxtui-crash.log"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with open(path, "a", encoding="utf-8") as log:
                log.write(f"{datetime.now().isoformat()} pid {os.getpid()}\n{details}\n")
        except OSError:
            continue
        return path
    return None
