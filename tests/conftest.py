"""What every test relies on."""

from __future__ import annotations

import signal

# A runner started in the background hands down an ignored SIGINT, and then no child could be interrupted.
signal.signal(signal.SIGINT, signal.default_int_handler)
