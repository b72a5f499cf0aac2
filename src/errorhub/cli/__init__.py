"""The command line: one file a group of verbs, no logic of its own."""
