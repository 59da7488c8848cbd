"""Doubles that ship with the runtime: used by its tests and by commands that need no durability."""
