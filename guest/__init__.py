"""The sealed Python interpreter and its host. Knows nothing of the runtime."""
