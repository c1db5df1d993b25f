"""The blame when a target fails: every part alone, and all of its faults at once. Runs in children."""
