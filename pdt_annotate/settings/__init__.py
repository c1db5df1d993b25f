"""Settings: the request for one run as one value, from the command line or the library."""
