"""Files: the tools over an admitted workspace."""
