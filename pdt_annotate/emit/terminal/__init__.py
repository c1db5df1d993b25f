"""Output for people at a terminal.

report         what is shown, in which order, and more of it with `-v`
message_lines  the lines of messages: `path:line:column: PDTnnn text`, which other programs may parse
failure        a run that failed
console        width and character set
"""
