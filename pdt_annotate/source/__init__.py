"""Facts of a Python file, read once: text, comments, survey, uses, expressions, imports, call sites."""
