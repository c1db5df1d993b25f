"""Facts of a Python file, read once: text, comments, definitions, uses, expressions, imports, call sites."""
