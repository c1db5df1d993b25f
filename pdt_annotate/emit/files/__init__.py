"""Output that goes to files of source: in place, as a diff, into an overlay."""
