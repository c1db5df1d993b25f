"""Torch's graphs, read; only a child imports this.

programs    compiled programs as one graph, with their calls followed
compiled    such a graph, read: `roles` has what numbers stand for and shapes, `spelling` how Python says it
recorded    the graphs of `torch.fx` and of all that is built on it, read
plain       what torch knows of values and nodes, as plain data
"""
