"""Feasibility by the rules of Fluxion, on a resource graph."""
