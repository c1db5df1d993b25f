"""Two tools that are none: one refuses everything, one accepts everything. No class of attacks may hold with either."""
