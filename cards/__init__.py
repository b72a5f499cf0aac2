"""Cards: facts about a hub as Markdown, YAML and Croissant."""
