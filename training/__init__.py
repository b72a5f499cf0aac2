"""Training: rows in, student, predictions and scores out."""
