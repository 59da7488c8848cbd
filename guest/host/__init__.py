"""Loads the artifact, holds it to its limits, and runs it here or in a process of its own."""
