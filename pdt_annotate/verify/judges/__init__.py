"""The judges that run in a child: does it script, does it answer the same."""
