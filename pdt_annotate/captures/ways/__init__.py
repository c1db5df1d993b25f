"""The ways of capturing, a file each: a function from a `Capturable` to a `Captured`, which may raise anything."""
