"""The toolboxes: one package for each group of tools, one module for each tool."""
