"""Output as `.pyi` stubs, and stubs applied to sources."""
