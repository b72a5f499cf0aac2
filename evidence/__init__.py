"""Evidence: how a bundle earns its diagnosis and its repair."""
