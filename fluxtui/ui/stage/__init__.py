"""The stage: constraints shown one by one."""
