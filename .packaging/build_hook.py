"""What a wheel has beside the package: the manual page, which is made from the command line."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualPage(BuildHookInterface):  # type: ignore[type-arg]
    """Puts ``share/man/man1/fluxtui.1`` into a wheel; needs nothing but the standard library."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the page, unless the package is only linked to (``pip install -e``)."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        try:
            from fluxtui.cli.manual import manual
        finally:
            sys.path.remove(self.root)
        self.made = tempfile.TemporaryDirectory()
        page = Path(self.made.name) / "fluxtui.1"
        page.write_text(manual() + "\n", encoding="utf-8")
        build_data["shared_data"][str(page)] = "share/man/man1/fluxtui.1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        if version != "editable":
            self.made.cleanup()
