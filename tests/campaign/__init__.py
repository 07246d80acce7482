"""A campaign of hostile inputs against every reader, writer, completion, verb and pane.

``.venv/bin/python -m tests.campaign [KIND...] [--count N | --time T] [--seed S] [--workers N]``
changes what the tests know of documents in every way that hurts, and looks at what becomes of each:
it is answered within 200 ms and 100 MB, nothing is raised, and the laws of its kind hold. Beside
that texts of each kind are made longer and longer, and what they cost is to grow as they do. What
goes wrong is cut down and kept in ``cases``, which pytest replays; with ``--markdown`` the table of
what was done is in RESULTS.md. ``hands`` and ``moments`` are kinds too: random keys in the real
program, and its end at any moment.
"""
