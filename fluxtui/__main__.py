"""``python -m fluxtui``: the same as the ``fluxtui`` command."""

from fluxtui.cli import main

if __name__ == "__main__":
    main()
