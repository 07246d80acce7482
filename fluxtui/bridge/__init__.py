"""The outside world: files, settings, the clipboard. All I/O below the user interface is here."""
