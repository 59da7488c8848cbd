"""Models: the port that every model stands behind, and its adapters."""
