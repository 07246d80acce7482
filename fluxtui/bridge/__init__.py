"""The outside world: files, clipboard, settings. The only I/O below the user interface."""
