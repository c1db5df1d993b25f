"""A Python file with which torch.export takes a target, for the calls that its examples show.

Only a child imports `value_source` and `describe`. The tool makes an `export_plan`, and from that the `file`'s text.
"""
