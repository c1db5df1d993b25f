"""The ways of capturing: each is a function from a `Capturable` to a `Captured`, which may raise anything."""
