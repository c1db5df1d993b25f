"""Output for people at a terminal."""
