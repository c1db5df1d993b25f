"""A Python file with which torch.export takes a target, for the calls that its examples show.

Only a child imports `values` and `describe`; from them the tool makes a `plan`, and of that the text of the `file`.
"""
