"""What the user names: targets, specs and, for `init`, drafts of specs."""
