"""Detection rules: one row a kind."""
