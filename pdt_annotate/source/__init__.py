"""What a file of Python says, read once: text, comments, survey, uses, expressions, imports, call sites."""
