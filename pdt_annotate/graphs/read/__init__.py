"""Torch's graphs, read; only a child imports this.

programs    compiled programs as one graph, with their calls followed
compiled    such a graph, read: `roles` finds the meanings of numbers, and shapes; `operator_templates` the Python code
recorded    the graphs of `torch.fx` and of the tools that are built on it, read
plain_nodes torch's values and nodes as plain data
"""
