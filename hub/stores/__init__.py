"""Where hubs live: a folder or a Git remote behind one small protocol."""
