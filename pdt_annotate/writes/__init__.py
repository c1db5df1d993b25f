"""Several files written, all or none, whatever ends the run: an error, a signal, the power.

A *journal* lies in a directory at or above the files from before the first change until after the last, with a line for
each step. One rule decides what becomes of a write that was ended: **until the journal says `done`, everything is taken
back; from then on, only what lies beside the files is removed.** The same code does both, in the run itself when
something fails, and in the next run of any command when nobody was left to do it (`recovery`).

What the journal says is ours to believe only as far as nobody else can have written it (`journal.seal`), and even then
nothing but the content that it names by digest is replaced or removed: whatever else lies there is somebody's edit, and
an edit stays.

`near` looks for journals and imports nothing, since it is asked before a command is even parsed.
"""
