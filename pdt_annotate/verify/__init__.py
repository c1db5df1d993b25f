"""Judge a rewrite. The first three judges are pure and need no torch; `scripts` and `answers` run in a child."""
