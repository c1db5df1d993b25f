"""The user's inputs: targets, specs and, for `init`, drafts of specs."""
