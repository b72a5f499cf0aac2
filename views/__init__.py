"""Views: bundles in, training rows and refusals out."""
