"""Who is at fault where a target fails: every part by itself, and all of its faults at once. Runs in children."""
