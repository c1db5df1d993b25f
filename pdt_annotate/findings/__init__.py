"""Findings: the PDTnnn catalogue, the compiler's messages, and remedies."""
