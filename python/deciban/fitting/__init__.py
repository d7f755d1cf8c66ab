"""Rows and labels -> weights, by solvers: models that are no function of the counts."""
