"""Record the types that flow at run time, on MonkeyType's tracer. Runs in the child, with the user's code."""
