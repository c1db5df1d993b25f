"""Settings: what one run is asked for, as one value, whoever asks: the command line or the library."""
