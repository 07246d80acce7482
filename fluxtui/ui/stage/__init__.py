"""The stage, which presents constraints one by one."""
