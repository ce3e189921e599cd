"""Records sweeps with real runs of all their candidates under known conditions, and judges what
lapcast said about them before it knew the real runs."""
