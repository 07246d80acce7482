"""Speed, as ratios measured side by side in one run; see ``python -m tests.benchmarks``."""
