"""What a user must know or do: the PDTnnn catalogue, the compiler's messages, and remedies."""
