"""The commands, one file per group. They parse, call one verb, and show its reply."""
