"""Feasibility by the rules of sched-simple, on a plain R."""
