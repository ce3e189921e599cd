"""Measures the suite against other programs that do the same."""
